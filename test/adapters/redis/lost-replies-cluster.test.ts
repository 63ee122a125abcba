import { Cluster, Redis } from 'ioredis';
import { Cluster as Cluster6 } from 'ioredis6';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { headOf, keyOf, live, TENANT, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { LOOPBACK } from '../../support/free-port.js';
import { answerOf, append, idsOn, said } from '../../support/older-port/steps.js';
import { PATIENT_MS } from '../../support/patience.js';
import { type RedisCluster, startCluster } from '../../support/redis-cluster.js';
import { replaceUnread } from '../../support/replace-unread.js';
import { openProxy } from '../../support/tcp-proxy.js';
import type { TodaysRedisStore } from '../../support/todays-redis-store.js';
import { todaysRedisStore } from '../../support/todays-redis-store.js';

const key = keyOf('one');

const clusters = { 'ioredis 5': Cluster, 'ioredis 6': Cluster6 } as const;

let prefixes = 0;

describeWithRedis('a reply of a Redis Cluster is lost after the command has run', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startCluster(1);
    const node = new Redis(cluster.nodes[0]?.port ?? 0);
    // A node without contact to other nodes does not know its own address.
    await node.config('SET', 'cluster-announce-ip', LOOPBACK);
    await node.quit();
  });
  afterAll(() => cluster.stop());

  describe.each(Object.entries(clusters))('%s', (_, ClusterClient) => {
    const open = async () => {
      prefixes += 1;
      const prefix = `lost-replies-cluster-${prefixes}`;
      const port = cluster.nodes[0]?.port ?? 0;
      const proxy = await openProxy(port);
      const storeAt = (throughPort: number) => {
        // The nodes tell clients their own addresses.
        const natMap = { [`${LOOPBACK}:${port}`]: { host: LOOPBACK, port: throughPort } };
        const client = new ClusterClient([{ host: LOOPBACK, port: throughPort }], { natMap });
        onTestFinished(() => client.disconnect());
        return todaysRedisStore({ client, prefix, timeoutMs: PATIENT_MS });
      };
      const others = storeAt(port);
      // The scripts are known to the server from here on: what is lost is the reply of one of them.
      await answerOf(others.insert(TENANT, headOf('zero'), live('IDLE')));
      await answerOf(replaceUnread(others.port, keyOf('zero'), live('ACTIVE', { revision: 2 })));
      await append(others, keyOf('zero'), ['hello']);
      const store = storeAt(proxy.port);
      await answerOf(store.findState(key));
      return {
        store,
        others,
        loseReply: (meanwhile: () => Promise<unknown>) => proxy.loseReply('evalsha', meanwhile),
      };
    };

    const appending30 = (others: TodaysRedisStore) =>
      Promise.all(upTo(30).map((other) => append(others, key, [`${other}`])));

    test('insert', async () => {
      const { store, others, loseReply } = await open();
      const lost = loseReply(async () => {
        while ((await answerOf(others.findState(key))) === undefined);
        await appending30(others);
      });
      expect(await answerOf(store.insert(TENANT, headOf('one'), live('ACTIVE')))).toBe('inserted');
      await lost;
      expect(await idsOn(others, TENANT)).toEqual(['zero', 'one']);
      expect(await said(others, key)).toHaveLength(30);
    });

    test('replace', async () => {
      const { store, others, loseReply } = await open();
      await answerOf(others.insert(TENANT, headOf('one'), live('IDLE')));
      const next = (revision: number) => live('ACTIVE', { revision });
      const lost = loseReply(async () => answerOf(replaceUnread(others.port, key, next(3))));
      expect(await answerOf(replaceUnread(store.port, key, next(2)))).toMatchObject({
        outcome: 'made',
      });
      await lost;
      expect((await answerOf(others.findState(key)))?.revision).toBe(3);
    });

    test('append', async () => {
      const { store, others, loseReply } = await open();
      await answerOf(others.insert(TENANT, headOf('one'), live('ACTIVE')));
      // From then on this process knows how the journal ends, and sends nothing before the lines.
      await append(store, key, ['first']);
      const lost = loseReply(() => appending30(others));
      await append(store, key, ['mine', 'mine too']);
      await lost;
      const kept = (await said(others, key)) ?? [];
      expect([kept.slice(1, 3), kept.length]).toEqual([['mine', 'mine too'], 33]);
    });
  });
});
