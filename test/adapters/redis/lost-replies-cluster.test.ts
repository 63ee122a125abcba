import { Cluster, Redis } from 'ioredis';
import { Cluster as Cluster6 } from 'ioredis6';
import { createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin, change, idsOf, made, put, putOf, said } from '../../../src/testing/commits.js';
import { keyOf, live, TENANT, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { LOOPBACK } from '../../support/free-port.js';
import { PATIENT_MS } from '../../support/patience.js';
import { type RedisCluster, startCluster } from '../../support/redis-cluster.js';
import { openAppend } from '../../support/redis-commits.js';
import { openProxy } from '../../support/tcp-proxy.js';

const key = keyOf('one');

/** A cluster node that announces its own port, and the port of its proxy. */
interface Way {
  readonly port: number;
  readonly through: number;
}

const ioredis = (ClusterClient: typeof Cluster | typeof Cluster6) => (way: Way) => {
  const nat = { host: LOOPBACK, port: way.through };
  const natMap = { [`${LOOPBACK}:${way.port}`]: nat };
  const client = new ClusterClient([nat], { natMap });
  return { client, close: () => client.disconnect() };
};

const nodeRedis = async ({ port, through }: Way) => {
  // A new object each time, because node-redis disables reconnecting in the options of a root node.
  const socket = () => ({ host: LOOPBACK, port: through });
  const nodeAddressMap = (address: string) =>
    address === `${LOOPBACK}:${port}` ? socket() : undefined;
  const client = createCluster({ rootNodes: [{ socket: socket() }], nodeAddressMap });
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.destroy() };
};

const clusters = {
  'ioredis 5': ioredis(Cluster),
  'ioredis 6': ioredis(Cluster6),
  'node-redis 6': nodeRedis,
} as const;

let prefixes = 0;

describeWithRedis('a Redis Cluster reply that is lost after the command ran', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startCluster(1);
    const node = new Redis(cluster.nodes[0]?.port ?? 0);
    // A node without contact to other nodes does not know its own address.
    await node.config('SET', 'cluster-announce-ip', LOOPBACK);
    await node.quit();
  });
  afterAll(() => cluster.stop());

  describe.each(Object.entries(clusters))('%s', (_, connect) => {
    const open = async () => {
      prefixes += 1;
      const prefix = `lost-replies-cluster-${prefixes}`;
      const port = cluster.nodes[0]?.port ?? 0;
      const proxy = await openProxy(port);
      const storeAt = async (through: number) => {
        const { client, close } = await connect({ port, through });
        onTestFinished(close);
        return new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
      };
      const others = await storeAt(port);
      // The server knows the scripts from here on, so the lost reply is a script's.
      await begin(others, keyOf('zero'), { state: live('IDLE') });
      await put(others, keyOf('zero'), live('ACTIVE', { revision: 2 }));
      await openAppend(others, keyOf('zero'), ['hello']);
      const store = await storeAt(proxy.port);
      await answerOf(store.findState(key));
      return {
        store,
        others,
        loseReply: (beforeRetry: () => Promise<unknown>) => proxy.loseReply('evalsha', beforeRetry),
      };
    };

    const appending30 = (others: SessionStore) =>
      Promise.all(upTo(30).map((other) => openAppend(others, key, [`${other}`])));

    test('applies a create once', async () => {
      const { store, others, loseReply } = await open();
      const lost = loseReply(async () => {
        while ((await answerOf(others.findState(key))) === undefined);
        await appending30(others);
      });
      await begin(store, key);
      await lost;
      expect(await idsOf(others, TENANT)).toEqual(['zero', 'one']);
      expect(await said(others, key)).toHaveLength(30);
    });

    test('applies a state change once', async () => {
      const { store, others, loseReply } = await open();
      await begin(others, key, { state: live('IDLE') });
      const next = (revision: number) => putOf(key, live('ACTIVE', { revision }));
      const lost = loseReply(() => change(others, next(3)));
      await made(store, next(2));
      await lost;
      expect((await answerOf(others.findState(key)))?.revision).toBe(3);
    });

    test('applies an append once', async () => {
      const { store, others, loseReply } = await open();
      await begin(others, key);
      // From then on this process knows how the journal ends, and sends nothing before the lines.
      await openAppend(store, key, ['first']);
      const lost = loseReply(() => appending30(others));
      await openAppend(store, key, ['mine', 'mine too']);
      await lost;
      const kept = (await said(others, key)) ?? [];
      expect([kept.slice(1, 3), kept.length]).toEqual([['mine', 'mine too'], 33]);
    });
  });
});
