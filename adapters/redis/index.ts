export type { BlockingRedisClient, RedisClient, RedisEventsOptions, RedisSessionStoreOptions } from './options.js';
export { type ClockOffset, RedisClock, type RedisClockOptions } from './redis-clock.js';
export { RedisSessionStore } from './redis-session-store.js';
export type { RepairReport } from './repair.js';
