export type { RedisDeployment } from './deployment.js';
export { type ClockOffset, RedisClock, type RedisClockOptions } from './redis-clock.js';
export { RedisSessionStore } from './redis-session-store.js';
export type {
  BlockingRedisClient,
  RedisClient,
  RedisEventsOptions,
  RedisSessionStoreOptions,
} from './redis-session-store-options.js';
export type { RepairOptions, RepairReport } from './repair.js';
