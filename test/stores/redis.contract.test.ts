import { Redis } from 'ioredis';
import MockRedis from 'ioredis-mock';
import { Redis as Redis6 } from 'ioredis6';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type RedisClient, RedisSessionStore, type RedisSessionStoreOptions } from '../../adapters/redis/index.js';
import { Keyspace } from '../../adapters/redis/keys.js';
import { type Corrupt, describeSessionStore } from '../../src/testing/index.js';
import { describeWithRedis } from '../support/describe-with-redis.js';

/** What the contract needs of a client, beside what the store needs, to damage what is stored. */
interface DamagingClient extends RedisClient {
  set(key: string, value: string): Promise<unknown>;
  append(key: string, value: string): Promise<unknown>;
}

let prefixes = 0;

const describeOn = (client: () => DamagingClient, hasStreams = true): void => {
  const prefixOf = new WeakMap<RedisSessionStore, string>();
  const open = (more: Partial<RedisSessionStoreOptions> = {}): RedisSessionStore => {
    prefixes += 1;
    const prefix = `contract-${process.pid}-${prefixes}`;
    const store = new RedisSessionStore({ client: client(), prefix, partitions: 3, ...more });
    prefixOf.set(store, prefix);
    return store;
  };
  const corrupt: Corrupt<RedisSessionStore> = async (store, key, part) => {
    const { record, journal } = new Keyspace(prefixOf.get(store) ?? '', 3).of(key);
    if (part === 'state') await client().set(record, '2 from the future');
    else if (part === 'head') await client().set(record, ((await client().get(record)) ?? '').replace('\n{', '\n['));
    else await client().append(journal, '{"role":"user","cont');
  };
  describeSessionStore(test, () => open(), {
    corrupt,
    withStatuses: () => open({ statusIndex: true }),
    ...(hasStreams ? { withEvents: () => open({ events: true }) } : {}),
  });
};

describe('RedisSessionStore on ioredis-mock', () => {
  const client = new MockRedis();
  // Its XRANGE finds nothing.
  describeOn(() => client, false);
});

describeWithRedis('RedisSessionStore on a real Redis', ({ port, host }) => {
  const connect = {
    'ioredis 5': () => new Redis({ port, host }),
    'ioredis 5 with a keyPrefix': () => new Redis({ port, host, keyPrefix: 'host:' }),
    'ioredis 6': () => new Redis6({ port, host }),
    'ioredis 6 with a keyPrefix': () => new Redis6({ port, host, keyPrefix: 'host:' }),
  };
  for (const [name, open] of Object.entries(connect)) {
    describe(name, () => {
      let client: Redis | Redis6;
      beforeAll(() => {
        client = open();
      });
      afterAll(() => client.quit());
      describeOn(() => client);
    });
  }
});
