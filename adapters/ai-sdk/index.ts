export type { ConversationError, Conversations } from '../sdk/append-once.js';
export { type LoadOptions, loadMessages, type MessagePage } from './load-messages.js';
export type { ChatMessage } from './messages.js';
export { type SaveOptions, saveMessages } from './save-messages.js';
