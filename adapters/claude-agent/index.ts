export type { ConversationError, Conversations } from '../sdk/append-once.js';
export type { TranscriptEntry, TranscriptKey } from './transcript-entry.js';
export type { FoundTranscript, TranscriptSessions } from './transcript-sessions.js';
export { TranscriptStore, type TranscriptStoreOptions } from './transcript-store.js';
