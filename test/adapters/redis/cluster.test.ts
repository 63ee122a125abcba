import { Cluster } from 'ioredis';
import { Cluster as Cluster6 } from 'ioredis6';
import { createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type IoredisClient,
  type NodeRedisCluster,
  RedisSessionStore,
} from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin, due } from '../../../src/testing/commits.js';
import { type Corrupt, describeSessionStore } from '../../../src/testing/index.js';
import { keyOf, live, NOON, upTo } from '../../../src/testing/samples.js';
import { isLong } from '../../support/continuous-integration.js';
import { forFurtherClients } from '../../support/contract-cases.js';
import { damageRedis } from '../../support/damage-redis.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { type RedisCluster, startCluster } from '../../support/redis-cluster.js';
import { commandsOf } from '../../support/redis-commands.js';
import { okOf } from '../../support/sessions.js';

const PARTITIONS = 64;

type ClusterClient = (IoredisClient | NodeRedisCluster) & { quit(): Promise<unknown> };

type Address = Pick<RedisCluster['nodes'][number], 'host' | 'port'>;

const rootNodes = (nodes: readonly Address[]) => nodes.map((socket) => ({ socket }));

const connect = {
  'ioredis 5': async (nodes: readonly Address[]): Promise<ClusterClient> => new Cluster([...nodes]),
  'ioredis 6': async (nodes: readonly Address[]): Promise<ClusterClient> =>
    new Cluster6([...nodes]),
  'node-redis 6': async (nodes: readonly Address[]): Promise<ClusterClient> =>
    createCluster({ rootNodes: rootNodes(nodes) }).connect(),
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
    beforeAll(async () => {
      client = await open(cluster.nodes.map(({ host, port }) => ({ host, port })));
    });
    afterAll(() => client.quit());

    const prefixOf = new WeakMap<RedisSessionStore, string>();
    const makeStore = (prefix = newPrefix()): RedisSessionStore => {
      const store = new RedisSessionStore({
        client,
        prefix,
        partitions: PARTITIONS,
        timeoutMs: PATIENT_MS,
      });
      prefixOf.set(store, prefix);
      return store;
    };

    // A single server is tested with every client; a cluster only differs in the scripts and their
    // keys.
    if (['ioredis 5', 'node-redis 6'].includes(name) || isLong)
      describe('the contract', () => {
        const corrupt: Corrupt<RedisSessionStore> = (store, key, part) =>
          damageRedis(client, new Keyspace(prefixOf.get(store) ?? '', PARTITIONS).of(key), part);
        describeSessionStore(forFurtherClients(test, ['due']), makeStore, {
          corrupt,
          without: ['events'],
        });
      });

    test('spreads tenants over the masters, and collects due sessions from all masters', async () => {
      const store = makeStore();
      const tenants = upTo(60).map((tenant) => `tenant ${tenant}`);
      const old = await Promise.all(cluster.nodes.map(({ port }) => commandsOf(port)));
      await Promise.all(
        tenants.map((tenant, at) =>
          begin(store, keyOf('one', tenant), {
            state: live('PAUSED', { deadline: NOON + 60 - at }),
          }),
        ),
      );
      const now = await Promise.all(cluster.nodes.map(({ port }) => commandsOf(port)));
      for (const [node, commands] of now.entries()) {
        expect((commands['evalsha'] ?? 0) - (old[node]?.['evalsha'] ?? 0)).toBeGreaterThan(5);
      }
      const all = await due(store, NOON + 60);
      expect(all.map(({ tenant }) => tenant)).toEqual(tenants.toReversed());
      const first = await due(store, NOON + 60, 7);
      expect(first).toHaveLength(7);
      expect(all).toEqual(expect.arrayContaining([...first]));
    });

    test('repairs indexes on every master', async () => {
      const store = makeStore();
      const tenants = upTo(20).map(String);
      for (const tenant of tenants)
        await begin(store, keyOf('one', tenant), { state: live('PAUSED', { deadline: NOON }) });
      expect(await okOf(store.repair())).toEqual({
        sessions: 20,
        listed: 0,
        rescheduled: 0,
        removed: 0,
        unreadable: [],
      });
    });

    test('finds earlier sessions with the same number of partitions', async () => {
      const prefix = newPrefix();
      const tenants = upTo(20).map(String);
      for (const tenant of tenants) await begin(makeStore(prefix), keyOf('one', tenant));
      const found = await Promise.all(
        tenants.map((tenant) => answerOf(makeStore(prefix).find(keyOf('one', tenant)))),
      );
      expect(found.map((record) => record?.head.id)).toEqual(tenants.map(() => 'one'));
    });
  });
});
