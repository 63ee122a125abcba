export type { ConversationError, Conversations } from '../sdk/append-once.js';
export type { TokenUsage } from '../sdk/token-usage.js';
export type { AgentSessions, FoundSession } from './agent-sessions.js';
export { EngineSession, type EngineSessionOptions } from './engine-session.js';
export type { HistoryTransaction, HistoryTransactionArgs } from './history-transaction.js';
export type { AgentContext } from './run-usage.js';
export { type AgentTurn, TurnSession } from './turn-session.js';
