import { describe, test } from 'vitest';
import {
  type RedisClient,
  RedisSessionStore,
  type RedisSessionStoreOptions,
} from '../../adapters/redis/index.js';
import { Keyspace } from '../../adapters/redis/keyspace.js';
import {
  type Corrupt,
  describeSessionStore,
  type OpenedStore,
  type TestFunction,
} from '../../src/testing/index.js';
import { isLong } from './continuous-integration.js';
import { forFurtherClients, fromOneSeed } from './contract-cases.js';
import { damageRedis } from './damage-redis.js';
import { PATIENT_MS } from './patience.js';

let prefixes = 0;

/** `connect` returns a client; the second store of a case gets a second one. */
export const describeRedisSessionStore = (
  connect: () => readonly [RedisClient, RedisClient],
  {
    hasStreams = true,
    register = test,
  }: { readonly hasStreams?: boolean; readonly register?: TestFunction } = {},
): void => {
  const prefixOf = new WeakMap<RedisSessionStore, string>();
  const open = (more: Partial<RedisSessionStoreOptions> = {}): OpenedStore<RedisSessionStore> => {
    prefixes += 1;
    const prefix = `contract-${process.pid}-${prefixes}`;
    const [client, another] = connect();
    const store = new RedisSessionStore({
      client,
      prefix,
      partitions: 3,
      ...more,
      timeoutMs: PATIENT_MS,
    });
    prefixOf.set(store, prefix);
    return {
      store,
      second: new RedisSessionStore({
        client: another,
        prefix,
        partitions: 3,
        ...more,
        timeoutMs: PATIENT_MS,
      }),
    };
  };
  const corrupt: Corrupt<RedisSessionStore> = (store, key, part) =>
    damageRedis(connect()[0], new Keyspace(prefixOf.get(store) ?? '', 3).of(key), part);
  const everything = hasStreams ? { events: true } : {};
  const first = register === test ? fromOneSeed(test) : register;
  describeSessionStore(first, () => open(everything), {
    corrupt,
    without: [hasStreams ? 'listen' : 'events'],
  });

  // The scripts are the same for every client.
  if (register !== test && !isLong) return;
  describe('with its default options', () => {
    describeSessionStore(forFurtherClients(register), () => open(), {
      corrupt,
      without: ['events'],
    });
  });
};
