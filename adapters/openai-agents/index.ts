export type { ConversationError, Conversations } from '../sdk/append-once.js';
export { EngineSession, type EngineSessionOptions } from './engine-session.js';
export type { HistoryTransaction, HistoryTransactionArgs } from './history-transaction.js';
