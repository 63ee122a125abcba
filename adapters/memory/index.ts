export { MemorySessionStore } from './memory-session-store.js';
