export type { RedisClient } from './client.js';
export type { RedisSessionStoreOptions } from './options.js';
export { RedisSessionStore } from './redis-session-store.js';
export type { RepairReport } from './repair.js';
