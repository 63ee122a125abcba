export { MemorySessionStore, type MemorySessionStoreOptions } from './memory-session-store.js';
