import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { ManualClock } from '../../support/manual-clock.js';
import { randomFrom } from '../../support/random.js';
import { openClient } from '../../support/redis-clients.js';
import { startRedis } from '../../support/redis-server.js';
import { okOf, startedIn } from '../../support/sessions.js';
import { openProxy } from '../../support/tcp-proxy.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import { effort, record, seeds } from '../support/effort.js';
import { Sweepers } from './sweepers.js';

const PROMISE =
  'an end by the clock is reported at least once, whatever happens to the process that reports it';
const SESSIONS = effort(150, 5000);
const ROUNDS = effort(2, 40);
const PROCESSES = 3;

/** What happens to the sweepers, again and again. */
interface Trouble {
  readonly sweepers: Sweepers;
  readonly random: () => number;
  readonly proxy: Awaited<ReturnType<typeof openProxy>>;
  readonly configure: (name: string, value: string) => Promise<unknown>;
}

const troubles: Readonly<Record<string, (trouble: Trouble) => Promise<unknown>>> = {
  'kill -9 of a sweeper': async ({ sweepers, random }) =>
    sweepers.replace(Math.floor(random() * PROCESSES)),
  'connections cut': async ({ proxy }) => proxy.speak(),
  'a silence beyond timeoutMs': async ({ sweepers, proxy }) => {
    proxy.silence();
    await sweepers.fails();
    proxy.speak();
  },
  NOREPLICAS: async ({ sweepers, configure }) => {
    await configure('min-replicas-to-write', '1');
    await sweepers.fails();
    await configure('min-replicas-to-write', '0');
  },
};

describeWithRedis('overdue sessions in Redis', () => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await bundleWorker('telling-sweeper');
  });

  test.each(Object.keys(troubles))(
    'are all reported by several sweepers, with %s',
    async (name) => {
      const [seed = 1] = seeds(1);
      const random = randomFrom(seed);
      const server = await startRedis();
      onTestFinished(() => server.stop('SIGKILL'));
      const client = openClient('ioredis 5', { port: server.port });
      const proxy = await openProxy(server.port);
      const store = new RedisSessionStore({
        client,
        prefix: 'telling',
        reportEnds: true,
        timeoutMs: 30_000,
      });
      // Long ago for the processes that sweep.
      const sessions = new SessionService({ store, clock: new ManualClock() });
      const ids: string[] = [];
      while (ids.length < SESSIONS) {
        const some = upTo(50).map((at) =>
          startedIn(sessions.forTenant(`t${at % 5}`), { timeLimit: 60 }),
        );
        ids.push(...(await Promise.all(some)));
      }
      const sweepers = new Sweepers(worker, PROCESSES, proxy.port, 'telling');
      onTestFinished(() => sweepers.end());
      const configure = (setting: string, value: string) =>
        client.call('CONFIG', 'SET', setting, value);
      for (const round of upTo(ROUNDS)) {
        await sweepers.tells(Math.floor((SESSIONS * round) / (ROUNDS + 1)));
        await troubles[name]?.({ sweepers, random, proxy, configure });
      }
      await sweepers.tells(SESSIONS);
      sweepers.end();
      const now = new SessionService({ store });
      const ended = await Promise.all(
        upTo(5).map(
          async (at) =>
            (await okOf(now.forTenant(`t${at}`).list({ status: 'TERMINATED', limit: 1 }))).total,
        ),
      );
      const told = [...sweepers.told.values()];
      const tell = (figure: string, value: number, bar?: string) =>
        record({
          promise: PROMISE,
          figure: `${name}: ${figure}`,
          value,
          ...(bar === undefined ? {} : { bar }),
        });
      const missing = ids.filter((id) => !sweepers.told.has(id)).length;
      tell(
        'ended',
        ended.reduce((sum, count) => sum + count, 0),
      );
      tell('times it happened', ROUNDS);
      tell(
        'errors reported',
        [...sweepers.errors.values()].reduce((sum, count) => sum + count, 0),
      );
      tell('told', sweepers.told.size);
      // Where a sweeper has told and died before it could say so, another tells it again; and so it
      // does if a busy machine holds a sweeper up, whose clock is 60 times as fast.
      const repeated = told.filter((count) => count > 1).length;
      tell('told more than once', repeated, `under ${SESSIONS / 4}`);
      tell('missing', missing, '0');
      expect(missing).toBe(0);
      expect(ended.reduce((sum, count) => sum + count, 0)).toBe(SESSIONS);
    },
    effort(120_000, 300_000),
  );
});
