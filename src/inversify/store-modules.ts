import { ContainerModule } from 'inversify';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore, type RedisSessionStoreOptions } from '../../adapters/redis/index.js';
import { chooseStore } from './store-port.js';

/** Keeps the sessions in memory, as `coreModule` does by itself; for a host that says so. */
export const memoryModule = (): ContainerModule =>
  new ContainerModule((loading) => chooseStore(loading, () => new MemorySessionStore()));

/** Keeps the sessions in Redis, over the host's own client. */
export const redisModule = (options: RedisSessionStoreOptions): ContainerModule =>
  new ContainerModule((loading) => chooseStore(loading, () => new RedisSessionStore(options)));
