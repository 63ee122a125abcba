export type {
  BlockingRedisClient,
  IoredisClient,
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisSentinel,
  RedisClient,
} from './clients.js';
export type { RedisDeployment } from './deployment.js';
export { RedisSessionStore } from './redis-session-store.js';
export type {
  RedisEventsOptions,
  RedisSessionStoreOptions,
} from './redis-session-store-options.js';
export type { RepairOptions, RepairReport } from './repair.js';
