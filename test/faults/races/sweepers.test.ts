import { afterAll, beforeAll, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { ManualClock } from '../../support/manual-clock.js';
import { openClient } from '../../support/redis-clients.js';
import { okOf, startedIn } from '../../support/sessions.js';
import { bundleWorker, startPool, type Worker } from '../../support/worker-pool.js';
import { effort, record, triedClients } from '../support/effort.js';

const SESSIONS = effort(1000, 100_000);
const TENANTS = 20;
const AT_ONCE = 200;

describeWithRedis('many sessions whose time is up at once', ({ port }) => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await bundleWorker('session-worker');
  });
  afterAll(() => worker.remove());

  test.each(triedClients)(
    'are each ended and told of once by 3 processes that sweep, with %s',
    async (version) => {
      const prefix = `sweep-${process.pid}-${version.replace(' ', '-')}`;
      const store = new RedisSessionStore({ client: openClient(version, { port }), prefix, timeoutMs: 30_000 });
      // Long ago for the processes that sweep, which have the machine's clock.
      const sessions = new SessionService({ store, clock: new ManualClock() });
      const ids: string[] = [];
      while (ids.length < SESSIONS) {
        const some = Array.from({ length: Math.min(AT_ONCE, SESSIONS - ids.length) }, (_, at) =>
          startedIn(sessions.forTenant(`t${at % TENANTS}`), { timeLimit: 60 }),
        );
        ids.push(...(await Promise.all(some)));
      }
      const pool = await startPool(worker, 3, { version, port, prefix });
      const told: string[] = [];
      const byProcess = [0, 0, 0];
      // A process that lost several batches in a row to the others leaves the rest to the next sweep.
      for (let round = 0; round < 50 && told.length < SESSIONS; round += 1) {
        const reports = await pool.run([1, 2, 3].map(() => ({ job: 'sweep', batch: 500 })));
        for (const [process, { answers }] of reports.entries()) {
          byProcess[process] = (byProcess[process] ?? 0) + answers.length;
          for (const { outcome, value } of answers) {
            expect(outcome).toBe('time_limit');
            told.push(value);
          }
        }
      }
      await pool.stop();
      const promise = 'of several processes that sweep one tells of each end';
      record({ promise, figure: `sessions due at once, ${version}`, value: SESSIONS });
      record({ promise, figure: `told of twice, ${version}`, value: told.length - new Set(told).size, bar: '0' });
      const missed = new Set(ids).size - new Set(told).size;
      record({ promise, figure: `missed, ${version}`, value: missed, bar: '0' });
      record({ promise, figure: `by each process, ${version}`, value: byProcess.join(', ') });
      expect(told.toSorted()).toEqual(ids.toSorted());
      expect((await okOf(sessions.forTenant('t1').list({ limit: 1 }))).sessions).toMatchObject([
        { status: 'TERMINATED', endReason: 'time_limit', duration: 60 },
      ]);
    },
    effort(120_000, 900_000),
  );
});
