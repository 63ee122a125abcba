import { expect, test } from 'vitest';
import { SessionService } from '../../../src/index.js';
import { newDatabase } from '../../support/databases.js';
import { createdIn } from '../../support/sessions.js';
import { startPool } from '../../support/worker-pool.js';
import { effort, record, triedDatabases } from '../support/effort.js';
import { describeWithWorker } from './describe-with-worker.js';

const ROUNDS = effort(5, 500);
const CALLERS = 25;

describeWithWorker(
  '50 callers in 2 processes that race for one change',
  (kind, worker) => {
    test(
      'have exactly one winner in each round',
      async () => {
        const { address, open } = await newDatabase(kind);
        const store = open();
        const pool = await startPool(worker(), 2, address);
        const sessions = new SessionService({ store });
        const outcomes = async (job: 'start' | 'terminate', id: string) => {
          const reports = await pool.run([1, 2].map(() => ({ job, id, times: CALLERS })));
          const answers = reports.flatMap((report) => report.answers).map(({ outcome }) => outcome);
          return { ok: answers.filter((outcome) => outcome === 'ok').length, of: answers.length };
        };
        const sequenceOf = async (id: string) =>
          (await store.find({ tenant: 'default', id }))._unsafeUnwrap()?.sequence;
        for (let round = 0; round < ROUNDS; round += 1) {
          const id = await createdIn(sessions);
          expect(await outcomes('start', id)).toEqual({ ok: 1, of: 50 });
          expect(await sequenceOf(id)).toBe(2);
          // Whoever comes second finds what it wanted, and changes nothing.
          expect(await outcomes('terminate', id)).toEqual({ ok: 50, of: 50 });
          expect(await sequenceOf(id)).toBe(3);
        }
        await pool.stop();
        const promise = 'of 50 callers in 2 processes one wins';
        record({
          promise,
          figure: `rounds of start and of terminate, ${kind.name}`,
          value: 2 * ROUNDS,
        });
        record({
          promise,
          figure: `rounds with another number of winners, ${kind.name}`,
          value: 0,
          bar: '0',
        });
      },
      effort(120_000, 600_000),
    );
  },
  triedDatabases,
);
