import { expect, test } from 'vitest';
import { SessionService } from '../../../src/index.js';
import { newDatabase } from '../../support/databases.js';
import { ManualClock } from '../../support/manual-clock.js';
import { okOf, startedIn } from '../../support/sessions.js';
import { startPool } from '../../support/worker-pool.js';
import { effort, record, triedDatabases } from '../support/effort.js';
import { describeWithWorker } from './describe-with-worker.js';

const SESSIONS = effort(240, 100_000);
const TENANTS = 20;
const AT_ONCE = 200;

describeWithWorker(
  'many sessions that become overdue in the same millisecond',
  (kind, worker) => {
    test(
      'are each ended and reported once by 3 sweeping processes',
      async () => {
        const { address, open } = await newDatabase(kind);
        // Long ago for the processes that sweep, which have the machine's clock.
        const sessions = new SessionService({ store: open(), clock: new ManualClock() });
        const ids: string[] = [];
        while (ids.length < SESSIONS) {
          const some = Array.from({ length: Math.min(AT_ONCE, SESSIONS - ids.length) }, (_, at) =>
            startedIn(sessions.forTenant(`t${at % TENANTS}`), { timeLimit: 60 }),
          );
          ids.push(...(await Promise.all(some)));
        }
        const pool = await startPool(worker(), 3, address);
        const told: string[] = [];
        const byProcess = [0, 0, 0];
        // A process that lost several batches in a row to the others leaves the rest to the next
        // sweep.
        for (let round = 0; round < 50 && told.length < SESSIONS; round += 1) {
          const reports = await pool.run([1, 2, 3].map(() => ({ job: 'sweep', batch: 200 })));
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
        record({
          promise,
          figure: `sessions due at the same moment, ${kind.name}`,
          value: SESSIONS,
        });
        record({
          promise,
          figure: `told of twice, ${kind.name}`,
          value: told.length - new Set(told).size,
          bar: '0',
        });
        const missed = new Set(ids).size - new Set(told).size;
        record({ promise, figure: `missed, ${kind.name}`, value: missed, bar: '0' });
        record({ promise, figure: `by each process, ${kind.name}`, value: byProcess.join(', ') });
        expect(told.toSorted()).toEqual(ids.toSorted());
        expect((await okOf(sessions.forTenant('t1').list({ limit: 1 }))).sessions).toMatchObject([
          { status: 'TERMINATED', endReason: 'time_limit', duration: 60 },
        ]);
      },
      effort(120_000, 900_000),
    );
  },
  triedDatabases,
);
