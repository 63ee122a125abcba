export type { ConversationError, Conversations } from '../sdk/append-once.js';
export type { TokenUsage } from '../sdk/token-usage.js';
export type { ChatMessage } from './chat-message.js';
export { type LoadOptions, loadMessages, type MessagePage, messagesOf } from './load-messages.js';
export { type SavedMessages, type SaveOptions, saveMessages } from './save-messages.js';
export {
  type Inboxes,
  type SendMessageOptions,
  type SentMessage,
  sendMessage,
} from './send-message.js';
export { entriesOf } from './turn-entries.js';
export { type ReportedUsage, usageOf } from './usage-of.js';
