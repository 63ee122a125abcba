import { Cluster } from 'ioredis';
import { Cluster as Cluster6 } from 'ioredis6';
import { createCluster } from 'redis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { randomFrom } from '../../support/random.js';
import { clientVersions } from '../../support/redis-clients.js';
import { type RedisCluster, startCluster } from '../../support/redis-cluster.js';
import type { RedisServer } from '../../support/redis-server.js';
import { effort, record, seeds } from '../support/effort.js';
import { Crowd } from './crowd.js';
import { cutConnections } from './cut-connections.js';
import { firstSuccess } from './first-success.js';
import { Slots } from './slots.js';

const PARTITIONS = 64;
const WRITERS = effort(10, 100);
const MOVES = effort(30, 6000);
const AT_ONCE = 8;
/** How often the connections are cut before a kill: some calls are then done and not answered. */
const CUTS = effort(10, 20);
const WRITES_AFTER = effort(150, 5000);
/** As long as a slot may be on its way: who moves it shares a core with all that write. */
const MOVED_WITHIN_MS = 15_000;
const PROMISE = 'a cluster may move its slots and lose a master';

type Address = Pick<RedisServer, 'host' | 'port'>;

const ioredis = (client: Cluster | Cluster6) => {
  client.on('error', () => {});
  return { client, close: () => client.disconnect() };
};

const nodeRedis = (nodes: readonly Address[]) => {
  const client = createCluster({ rootNodes: nodes.map((socket) => ({ socket })) });
  client.on('error', () => {});
  client.connect().catch(() => {});
  return { client, close: () => client.destroy() };
};

// One follows where slots go, and waits; another soon gives up and leaves that to the store.
const connect = {
  'ioredis 5': (nodes: readonly Address[]) => ioredis(new Cluster([...nodes])),
  'ioredis 6': (nodes: readonly Address[]) =>
    ioredis(new Cluster6([...nodes], { maxRedirections: 1 })),
  'node-redis 6': nodeRedis,
} as const;

describeWithRedis('a Redis Cluster of 3 masters and 3 replicas', () => {
  let cluster: RedisCluster;
  let slots: Slots;
  beforeAll(async () => {
    cluster = await startCluster(3, {
      replicas: 1,
      args: ['--cluster-node-timeout', '1000', '--repl-diskless-sync-delay', '0'],
    });
    slots = await Slots.of(cluster.nodes);
  });
  afterAll(async () => {
    slots.close();
    await cluster.stop();
  });

  const openStores = (prefix: string, timeoutMs = 2000): readonly RedisSessionStore[] => {
    const nodes = [...cluster.nodes, ...cluster.replicas].map(({ host, port }) => ({ host, port }));
    return clientVersions.map((version) => {
      const { client, close } = connect[version](nodes);
      onTestFinished(close);
      return new RedisSessionStore({
        client,
        prefix,
        partitions: PARTITIONS,
        timeoutMs,
      });
    });
  };
  /** For the audit, which makes many concurrent calls. */
  const freshStore = (prefix: string, timeoutMs = 60_000): RedisSessionStore => {
    const [store] = openStores(prefix, timeoutMs);
    if (store === undefined) throw new Error('no store');
    return store;
  };
  /** A tenant whose sessions are on this master. */
  const tenantOn = async (master: RedisServer): Promise<string> => {
    const keys = new Keyspace('killing', PARTITIONS);
    for (const tenant of upTo(1000).map((number) => `probe ${number}`)) {
      const [, tag = ''] = /\{(\d+)\}/.exec(keys.tenant(tenant).index) ?? [];
      if (slots.isOn(await slots.slotOf(tag), master)) return tenant;
    }
    throw new Error('no tenant is there');
  };
  const tell = (figure: string, value: number, bar?: string) =>
    record({ promise: PROMISE, figure, value, ...(bar === undefined ? {} : { bar }) });

  test(
    'moves slots during writes without an error, a loss or a duplicate',
    async () => {
      const [seed = 1] = seeds(1);
      const random = randomFrom(seed);
      const busy = await Promise.all(
        upTo(PARTITIONS).map((partition) => slots.slotOf(`${partition}`)),
      );
      const crowd = new Crowd(WRITERS, openStores('moving', MOVED_WITHIN_MS), seed);
      await crowd.more(WRITERS * 10);
      let moved = 0;
      while (moved < MOVES) moved += await slots.moveSome(AT_ONCE, busy, random);
      await crowd.more(WRITES_AFTER);
      const findings = await crowd.end(freshStore('moving'));
      tell('slots moved', moved);
      tell('keys moved', slots.movedKeys);
      tell('writes acknowledged while slots moved', crowd.writes);
      tell('errors to callers while slots moved', crowd.unavailable.length, '0');
      const { missing, ...cases } = findings;
      for (const [figure, found] of Object.entries(cases))
        tell(`${figure} while slots moved`, found.length, '0');
      tell('sessions that an index lacked after slots moved', missing, '0');
      expect(findings).toEqual({ lost: [], doubled: [], impossible: [], astray: [], missing: 0 });
      expect([crowd.unavailable, crowd.forgotten]).toEqual([[], 0]);
      expect(slots.movedKeys).toBeGreaterThan(MOVES / 4);
    },
    effort(120_000, 600_000),
  );

  test(
    'fails over from a killed master during writes without duplicates',
    async () => {
      const [seed = 1] = seeds(1);
      const busy = await Promise.all(
        upTo(PARTITIONS).map((partition) => slots.slotOf(`${partition}`)),
      );
      const victim = slots.busiest(busy);
      const crowd = new Crowd(WRITERS, openStores('killing'), seed);
      await crowd.more(WRITES_AFTER);
      const tenant = await tenantOn(victim);
      for (const _ of upTo(CUTS)) {
        await crowd.more(WRITERS);
        await cutConnections(victim);
      }
      // node-redis never connects to a cluster if it begins while a master is down.
      const connected = freshStore('killing', 2000);
      await firstSuccess(connected, tenant);
      await victim.stop('SIGKILL');
      const gapMs = await firstSuccess(connected, tenant);
      await crowd.more(WRITES_AFTER);
      const findings = await crowd.end(freshStore('killing'));
      tell('first success after a master was killed, ms', Math.round(gapMs));
      tell('writes acknowledged around the kill', crowd.writes);
      tell('errors to callers around the kill', crowd.unavailable.length);
      tell('sessions that were not as their writer had left them', crowd.forgotten);
      tell(
        'acknowledged writes lost by the kill (replication is asynchronous)',
        findings.lost.length,
      );
      tell('doubled by the kill', findings.doubled.length, '0');
      tell(
        'not created by a caller, or listed twice, after the kill',
        findings.impossible.length,
        '0',
      );
      tell('astray by the kill', findings.astray.length);
      tell('sessions that an index lacked after the kill', findings.missing, '0');
      expect(findings).toMatchObject({ doubled: [], impossible: [], missing: 0 });
    },
    effort(120_000, 300_000),
  );
});
