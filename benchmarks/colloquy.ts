/**
 * The engine as its users get it. The types are those of the sources; when the benchmarks are
 * built, these imports are turned into those of the package, so that what is measured is what is
 * published (`tsup.config.ts`).
 */
export { MemorySessionStore } from '../adapters/memory/index.js';
export { nodeListener } from '../adapters/node/index.js';
export { PostgresSessionStore } from '../adapters/postgres/index.js';
export { RedisSessionStore, type RedisSessionStoreOptions } from '../adapters/redis/index.js';
export { SqliteSessionStore } from '../adapters/sqlite/index.js';
export { createSessionHandler, staticApiKeys } from '../src/http/index.js';
export {
  createWorker,
  type ListQuery,
  type Session,
  SessionService,
  type SessionStore,
} from '../src/index.js';
export { openTelemetry } from '../src/telemetry/index.js';
