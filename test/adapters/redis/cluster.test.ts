import { Cluster } from 'ioredis';
import { Cluster as Cluster6 } from 'ioredis6';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedisClient, RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { type Corrupt, describeSessionStore } from '../../../src/testing/index.js';
import { headOf, keyOf, live, NOON, upTo } from '../../../src/testing/samples.js';
import { isLong } from '../../support/continuous-integration.js';
import { forFurtherClients } from '../../support/contract-cases.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { answerOf, dueOf } from '../../support/older-port/steps.js';
import { PATIENT_MS } from '../../support/patience.js';
import { type RedisCluster, startCluster } from '../../support/redis-cluster.js';
import { commandsOf } from '../../support/redis-commands.js';
import { type TodaysRedisStore, todaysRedisStore } from '../../support/todays-redis-store.js';

const PARTITIONS = 64;

interface ClusterClient extends RedisClient {
  set(key: string, value: string): Promise<unknown>;
  setrange(key: string, offset: number, value: string): Promise<unknown>;
  append(key: string, value: string): Promise<unknown>;
  quit(): Promise<unknown>;
}

type Address = Pick<RedisCluster['nodes'][number], 'host' | 'port'>;

const connect = {
  'ioredis 5': (nodes: readonly Address[]): ClusterClient => new Cluster([...nodes]),
  'ioredis 6': (nodes: readonly Address[]): ClusterClient => new Cluster6([...nodes]),
} as const;

let prefixes = 0;
const newPrefix = (): string => {
  prefixes += 1;
  return `cluster-${process.pid}-${prefixes}`;
};

describeWithRedis('RedisSessionStore on a Redis Cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startCluster(3);
  });
  afterAll(() => cluster.stop());

  describe.each(Object.entries(connect))('%s', (name, open) => {
    let client: ClusterClient;
    beforeAll(() => {
      client = open(cluster.nodes.map(({ host, port }) => ({ host, port })));
    });
    afterAll(() => client.quit());

    const prefixOf = new WeakMap<RedisSessionStore, string>();
    const makeStore = (prefix = newPrefix()): TodaysRedisStore => {
      const store = todaysRedisStore({
        client,
        prefix,
        partitions: PARTITIONS,
        timeoutMs: PATIENT_MS,
      });
      prefixOf.set(store.port, prefix);
      return store;
    };

    // Each client has it on a single server: here it is the script and its keys that differ.
    if (name === 'ioredis 5' || isLong)
      describe('the contract', () => {
        const corrupt: Corrupt<RedisSessionStore> = async (store, key, part) => {
          const { record, journal } = new Keyspace(prefixOf.get(store) ?? '', PARTITIONS).of(key);
          if (part === 'state') await client.set(record, '2 from the past');
          else if (part === 'head') await client.append(record, '[');
          else await client.set(journal, ((await client.get(journal)) ?? '').replace('{', '['));
        };
        describeSessionStore(forFurtherClients(test, ['due']), () => makeStore().port, {
          corrupt,
          without: ['events'],
        });
      });

    test('spreads the tenants over the masters, and gathers what is due from all of them', async () => {
      const store = makeStore();
      const tenants = upTo(60).map((tenant) => `tenant ${tenant}`);
      const old = await Promise.all(cluster.nodes.map(({ port }) => commandsOf(port)));
      await Promise.all(
        tenants.map((tenant, at) =>
          answerOf(
            store.insert(tenant, headOf('one'), live('PAUSED', { deadline: NOON + 60 - at })),
          ),
        ),
      );
      const now = await Promise.all(cluster.nodes.map(({ port }) => commandsOf(port)));
      for (const [node, commands] of now.entries()) {
        expect((commands['evalsha'] ?? 0) - (old[node]?.['evalsha'] ?? 0)).toBeGreaterThan(5);
      }
      const due = await dueOf(store, NOON + 60, 100);
      expect(due.map(({ tenant }) => tenant)).toEqual(tenants.toReversed());
      const first = await dueOf(store, NOON + 60, 7);
      expect(first).toHaveLength(7);
      expect(due).toEqual(expect.arrayContaining([...first]));
    });

    test('repairs what is on any of the masters', async () => {
      const store = makeStore();
      const tenants = upTo(20).map(String);
      for (const tenant of tenants)
        await answerOf(store.insert(tenant, headOf('one'), live('PAUSED', { deadline: NOON })));
      const report = await store.repair();
      expect(report.unwrapOr(undefined)).toEqual({
        sessions: 20,
        listed: 0,
        rescheduled: 0,
        removed: 0,
        unreadable: [],
      });
    });

    test('finds what was stored before, with the same number of partitions', async () => {
      const prefix = newPrefix();
      const tenants = upTo(20).map(String);
      for (const tenant of tenants)
        await answerOf(makeStore(prefix).insert(tenant, headOf('one'), live('IDLE')));
      const found = await Promise.all(
        tenants.map((tenant) => answerOf(makeStore(prefix).find(keyOf('one', tenant)))),
      );
      expect(found.map((record) => record?.head.id)).toEqual(tenants.map(() => 'one'));
    });
  });
});
