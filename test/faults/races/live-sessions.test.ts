import { expect, test } from 'vitest';
import { SessionService } from '../../../src/index.js';
import { newDatabase } from '../../support/databases.js';
import { ada } from '../../support/sessions.js';
import { startPool } from '../../support/worker-pool.js';
import { effort, record, triedDatabases } from '../support/effort.js';
import { describeWithWorker } from './describe-with-worker.js';

const PROCESSES = effort(3, 32);
const CALLERS = effort(8, 4);
const STARTS = effort(600, 100_000);
const LIMIT = 5;

/** The most of these times that overlap. */
const mostAtOnce = (spans: readonly (readonly [number, number])[]): number => {
  const ends = spans.flatMap(([from, to]) => [
    [from, 1],
    [to, -1],
  ]);
  ends.sort(([a = 0, opens = 0], [b = 0, closes = 0]) => a - b || opens - closes);
  let [now, most] = [0, 0];
  for (const [, by = 0] of ends) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
};

describeWithWorker(
  'callers in several processes that start more sessions than limits.activeSessions',
  (kind, worker) => {
    test(
      `have at most ${LIMIT} sessions ACTIVE or PAUSED, and use every place`,
      async () => {
        const { address, open } = await newDatabase(kind);
        // The settings of the deployment are stored before the processes begin.
        (await new SessionService({ store: open() }).create(ada))._unsafeUnwrap();
        const pool = await startPool(worker(), PROCESSES, address);
        const times = Math.ceil(STARTS / (PROCESSES * CALLERS));
        const job = { job: 'occupy' as const, callers: CALLERS, times, limit: LIMIT };
        const jobs = Array.from({ length: PROCESSES }, () => job);
        const answers = (await pool.run(jobs)).flatMap((report) => report.answers);
        await pool.stop();
        const outcomes = new Set(answers.map(({ outcome }) => outcome));
        expect([...outcomes].toSorted()).toEqual(['ok', 'too_many_active']);
        const succeeded = answers.filter(({ outcome }) => outcome === 'ok');
        const spans = succeeded.map(({ value }): [number, number] => {
          const [from = '', to = ''] = value.split(' ');
          return [Number(from), Number(to)];
        });
        expect(mostAtOnce(spans)).toBe(LIMIT);
        const promise = 'a tenant has no more live sessions than it may have';
        record({
          promise,
          figure: `starts of ${PROCESSES} processes, ${kind.name}`,
          value: answers.length,
        });
        record({
          promise,
          figure: `of these, refused, ${kind.name}`,
          value: answers.length - spans.length,
        });
        record({ promise, figure: `over the limit, ${kind.name}`, value: 0, bar: '0' });
      },
      effort(120_000, 1_200_000),
    );
  },
  triedDatabases,
);
