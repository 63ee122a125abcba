export { type ClockOffset, RedisClock, type RedisClockOptions } from './redis-clock.js';
export { RedisSessionStore } from './redis-session-store.js';
export type {
  BlockingRedisClient,
  RedisClient,
  RedisEventsOptions,
  RedisSessionStoreOptions,
} from './redis-session-store-options.js';
export type { RepairReport } from './repair.js';
