export type { ConversationError, Conversations } from '../sdk/append-once.js';
export type { ChatMessage } from './chat-message.js';
export { type LoadOptions, loadMessages, type MessagePage } from './load-messages.js';
export { type SavedMessages, type SaveOptions, saveMessages } from './save-messages.js';
