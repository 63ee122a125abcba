import { ContainerModule } from 'inversify';
import { MemorySessionStore, type MemorySessionStoreOptions } from '../../adapters/memory/index.js';
import { RedisSessionStore, type RedisSessionStoreOptions } from '../../adapters/redis/index.js';
import { chooseStore } from './store-port.js';

/** Keeps the sessions in memory, as `coreModule` does by itself; for a host that says so. */
export const memoryModule = (options: MemorySessionStoreOptions = {}): ContainerModule => {
  // Wrong options throw here, and not when the container is first asked for the store.
  new MemorySessionStore(options);
  return new ContainerModule((loading) => chooseStore(loading, () => new MemorySessionStore(options)));
};

/** Keeps the sessions in Redis, over the host's own client. */
export const redisModule = (options: RedisSessionStoreOptions): ContainerModule => {
  new RedisSessionStore(options);
  return new ContainerModule((loading) => chooseStore(loading, () => new RedisSessionStore(options)));
};
