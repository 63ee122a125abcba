export type { TranscriptEntry, TranscriptKey } from './transcript.js';
export type { FoundTranscript, TranscriptSessions, TranscriptStoreOptions } from './transcript-store.js';
export { TranscriptStore } from './transcript-store.js';
