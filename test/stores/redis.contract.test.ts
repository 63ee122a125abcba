import { Redis } from 'ioredis';
import MockRedis from 'ioredis-mock';
import { Redis as Redis6 } from 'ioredis6';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type RedisClient, RedisSessionStore, type RedisSessionStoreOptions } from '../../adapters/redis/index.js';
import { Keyspace } from '../../adapters/redis/keyspace.js';
import { type Corrupt, describeSessionStore, type OpenedStore, type TestFunction } from '../../src/testing/index.js';
import { moreInCi } from '../support/continuous-integration.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { requirements } from '../support/requirements.js';

/** What the contract needs of a client, beside what the store needs, to damage what is stored. */
interface DamagingClient extends RedisClient {
  set(key: string, value: string): Promise<unknown>;
}

let prefixes = 0;

/** `connect` gives a client, and another one for the second store. */
const describeOn = (
  connect: () => readonly [DamagingClient, DamagingClient],
  { hasStreams, register }: { readonly hasStreams: boolean; readonly register: TestFunction },
): void => {
  const prefixOf = new WeakMap<RedisSessionStore, string>();
  const open = (more: Partial<RedisSessionStoreOptions> = {}): OpenedStore<RedisSessionStore> => {
    prefixes += 1;
    const prefix = `contract-${process.pid}-${prefixes}`;
    const [client, another] = connect();
    const store = new RedisSessionStore({ client, prefix, partitions: 3, ...more, timeoutMs: PATIENT_MS });
    prefixOf.set(store, prefix);
    return {
      store,
      second: new RedisSessionStore({ client: another, prefix, partitions: 3, ...more, timeoutMs: PATIENT_MS }),
    };
  };
  const corrupt: Corrupt<RedisSessionStore> = async (store, key, part) => {
    const { record, journal } = new Keyspace(prefixOf.get(store) ?? '', 3).of(key);
    const [client] = connect();
    if (part === 'state') await client.set(record, '2 from the future');
    else if (part === 'head') await client.set(record, ((await client.get(record)) ?? '').replace('\n{', '\n['));
    else await client.set(journal, ((await client.get(journal)) ?? '').replace('{', '['));
  };
  describeSessionStore(register, () => open(), {
    corrupt,
    withStatuses: () => open({ statusIndex: true }),
    withUnleased: () => open({ leaseIndex: true }),
    ...(hasStreams ? { withEvents: () => open({ events: true }) } : {}),
  });
};

// Ten times as slow as a server: for machines that have none, and for CI.
if (moreInCi(!requirements.redis.isMet(), true)) {
  describe('RedisSessionStore on ioredis-mock', () => {
    const clients = [new MockRedis(), new MockRedis()] as const;
    // Its Lua interpreter takes a minute for one search of 10,000 sessions.
    const register: TestFunction = (name, run) =>
      name.includes('10,000 sessions') ? test.skip(name) : test(name, run);
    // Its XRANGE finds nothing.
    describeOn(() => clients, { hasStreams: false, register });
  });
}

describeWithRedis('RedisSessionStore on a real Redis', ({ port, host }) => {
  const connect = {
    'ioredis 5': () => new Redis({ port, host }),
    'ioredis 5 with a keyPrefix': () => new Redis({ port, host, keyPrefix: 'host:' }),
    'ioredis 6': () => new Redis6({ port, host }),
    'ioredis 6 with a keyPrefix': () => new Redis6({ port, host, keyPrefix: 'host:' }),
  };
  // Each version once, with a keyPrefix or without.
  const tried = Object.entries(connect).filter((_, at) => moreInCi(at === 1 || at === 2, true));
  for (const [name, open] of tried) {
    describe(name, () => {
      let clients: readonly [Redis | Redis6, Redis | Redis6];
      beforeAll(() => {
        clients = [open(), open()];
      });
      afterAll(() => Promise.all(clients.map((client) => client.quit())));
      describeOn(() => clients, { hasStreams: true, register: test });
    });
  }
});
