import { RedisSessionStore, type RedisSessionStoreOptions } from '../../adapters/redis/index.js';
import { writeScripts } from '../../adapters/redis/write-scripts.js';
import { asTodaysStore } from './older-port/as-todays-store.js';

/** A store with the methods that the older tests call; `port` is the store itself. */
export const todaysRedisStore = (options: RedisSessionStoreOptions) => {
  const port = new RedisSessionStore(options);
  return {
    ...asTodaysStore(port),
    events: port.events,
    port,
    begin: port.begin.bind(port),
    change: port.change.bind(port),
    take: port.take.bind(port),
    entries: port.entries.bind(port),
    page: port.page.bind(port),
    drain: () => port.drain(),
    repair: port.repair.bind(port),
    deployment: () => port.deployment(),
  };
};

export type TodaysRedisStore = ReturnType<typeof todaysRedisStore>;

/** Whether a script is one of those that write. */
export const isWrite = (sha1: unknown): boolean =>
  Object.values(writeScripts).some((script) => script.sha1 === sha1);
