import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { createSentinel } from 'redis';
import { expect, onTestFinished, test } from 'vitest';
import {
  type NodeRedisSentinel,
  type RedisClient,
  RedisSessionStore,
} from '../../../adapters/redis/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { clientVersions } from '../../support/redis-clients.js';
import { effort, record, seeds } from '../support/effort.js';
import { Crowd } from './crowd.js';
import { cutConnections } from './cut-connections.js';
import { firstSuccess } from './first-success.js';
import { DOWN_AFTER_MS, MASTER, Sentinels } from './sentinels.js';

const KILLS = effort(1, 5);
const WRITERS = effort(10, 100);
/** How often the connections are cut before a kill: some calls are then done and not answered. */
const CUTS = effort(10, 20);
const WRITES_BETWEEN = effort(150, 5000);
const PROMISE = 'a master may be killed under its sentinels';

const settings: Readonly<Record<string, readonly string[]>> = {
  'settings as they come': [],
  // As docs/redis.md recommends.
  'min-replicas-to-write 1': ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '10'],
};
const tried = Object.entries(settings).slice(0, effort(1, 2));

interface Addresses {
  readonly sentinels: { host: string; port: number }[];
  readonly name: string;
}

/** A client, and how the host closes it. */
interface Opened {
  readonly client: RedisClient;
  readonly close: () => unknown;
}

const ioredis = (client: Redis | Redis6): Opened => {
  client.on('error', () => {});
  return { client, close: () => client.disconnect() };
};

type Sentinel = NodeRedisSentinel & {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  destroy(): Promise<unknown>;
};

const nodeRedis = (client: Sentinel): Opened => {
  client.on('error', () => {});
  client.connect().catch(() => {});
  return { client, close: () => client.destroy() };
};

const connect = {
  'ioredis 5': (addresses: Addresses) => ioredis(new Redis(addresses)),
  'ioredis 6': (addresses: Addresses) => ioredis(new Redis6(addresses)),
  'node-redis 6': ({ sentinels: sentinelRootNodes, name }: Addresses) =>
    nodeRedis(createSentinel({ sentinelRootNodes, name })),
} as const;

describeWithRedis('a Redis master with two replicas and three sentinels', () => {
  test.each(tried)(
    'is killed repeatedly during writes without duplicates; %s',
    async (name, args) => {
      const [seed = 1] = seeds(1);
      const all = await Sentinels.start(args);
      onTestFinished(() => all.stop());
      const sentinels = all.sentinels.map(({ host, port }) => ({ host, port }));
      const openStore = (version: keyof typeof connect, timeoutMs = 2000): RedisSessionStore => {
        const { client, close } = connect[version]({ sentinels, name: MASTER });
        onTestFinished(async () => {
          await close();
        });
        return new RedisSessionStore({ client, timeoutMs });
      };
      const stores = clientVersions.map((version) => ({ version, store: openStore(version) }));
      const crowd = new Crowd(
        WRITERS,
        stores.map(({ store }) => store),
        seed,
      );
      const gaps = Object.fromEntries(clientVersions.map((version) => [version, [] as number[]]));
      for (const kill of upTo(KILLS)) {
        await crowd.more(WRITES_BETWEEN);
        for (const _ of upTo(CUTS)) {
          await crowd.more(WRITERS);
          await cutConnections(await all.master());
        }
        const bringBack = await all.killMaster();
        const served = stores.map(async ({ version, store }) => {
          gaps[version]?.push(Math.round(await firstSuccess(store, 'probe')));
        });
        await Promise.all(served);
        // The last one is missed by nobody.
        if (kill < KILLS - 1) await bringBack();
      }
      await crowd.more(WRITES_BETWEEN);
      const fresh = openStore('ioredis 5', 60_000);
      const findings = await crowd.end(fresh);
      const tell = (figure: string, value: number | string, bar?: string) =>
        record({
          promise: PROMISE,
          figure: `${name}: ${figure}`,
          value,
          ...(bar === undefined ? {} : { bar }),
        });
      tell('masters killed', KILLS);
      tell('acknowledged writes', crowd.writes);
      for (const [version, ms] of Object.entries(gaps))
        tell(
          `first success after each kill, ms, of which ${DOWN_AFTER_MS} to notice it, ${version}`,
          ms.join(', '),
        );
      tell('errors to callers', crowd.unavailable.length);
      tell('sessions that were not as their writer had left them', crowd.forgotten);
      tell('acknowledged writes lost (replication is asynchronous)', findings.lost.length);
      tell('doubled', findings.doubled.length, '0');
      tell('not created by a caller, or listed twice', findings.impossible.length, '0');
      tell('astray by a loss', findings.astray.length);
      tell('sessions that an index lacked', findings.missing, '0');
      expect(findings).toMatchObject({ doubled: [], impossible: [], missing: 0 });
      expect((await answerOf(fresh.page('probe', { offset: 0, limit: 100 }))).unreadable).toEqual(
        [],
      );
    },
    effort(120_000, 300_000),
  );
});
