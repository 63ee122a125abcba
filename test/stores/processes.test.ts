import { afterAll, beforeAll, expect, test } from 'vitest';
import { SessionService } from '../../src/service/session-service.js';
import { moreIfLong } from '../support/continuous-integration.js';
import {
  databases,
  databasesAndClients,
  describeDatabases,
  type TestDatabase,
} from '../support/databases.js';
import { ada, createdIn, okOf, startedIn } from '../support/sessions.js';
import { bundleWorker, startPool, type Worker, type WorkerPool } from '../support/worker-pool.js';
import type { Answered, Job, Report } from '../support/workers/jobs.js';

const PROCESSES = 4;
/** 50 writers, divided among the processes. */
const SHARES = [13, 13, 12, 12] as const;

const count = (answers: readonly Answered[], outcome: string): number =>
  answers.filter((answer) => answer.outcome === outcome).length;

const answersOf = (reports: readonly Report[]): readonly Answered[] =>
  reports.flatMap(({ answers }) => answers);

const race = (
  job: 'start' | 'terminate' | 'create',
  id: string,
  shares: readonly number[],
): readonly Job[] => shares.map((times) => ({ job, id, times }));

/** The content of acknowledged appends, by writer. */
const saidBy = (reports: readonly Report[], entries: number): readonly string[] =>
  reports
    .flatMap(({ written }) => written)
    .flatMap(({ writer, acknowledged }) =>
      Array.from(
        { length: acknowledged * entries },
        (_, at) => `${writer} ${Math.floor(at / entries)} ${at % entries}`,
      ),
    );

const writerOf = (content: string): string => content.slice(0, content.indexOf(' '));

/** The history by writer: equals `saidBy` if all entries are there, once and in order. */
const byWriter = (history: readonly string[], writers: readonly string[]): readonly string[] =>
  writers.flatMap((writer) => history.filter((content) => writerOf(content) === writer));

const writersOf = (shares: readonly number[]): readonly (readonly string[])[] =>
  shares.map((share, process) =>
    Array.from({ length: share }, (_, writer) => `p${process}w${writer}`),
  );

describeDatabases(
  'several processes on one database',
  (kind) => {
    let worker: Worker;
    let database: TestDatabase;
    let pool: WorkerPool;
    beforeAll(async () => {
      worker = await bundleWorker('session-worker');
      database = await kind.create();
      pool = await startPool(worker, PROCESSES, database.address);
    });
    afterAll(async () => {
      await pool.stop();
      await database.close();
    });

    const open = () => {
      const store = database.open();
      return { store, sessions: new SessionService({ store }) };
    };
    const contentsOf = async (sessions: SessionService, id: string): Promise<readonly string[]> =>
      (await okOf(sessions.get(id))).history.map(({ content }) => content);

    test('keep every entry of 50 concurrent appenders, once and in order', async () => {
      const { sessions } = open();
      const id = await startedIn(sessions);
      const writers = writersOf(SHARES);
      const reports = await pool.run(
        writers.map((names) => ({ job: 'append', id, writers: names, appends: 8, entries: 3 })),
      );
      const history = await contentsOf(sessions, id);
      expect(byWriter(history, writers.flat())).toEqual(saidBy(reports, 3));
      expect(history).toHaveLength(50 * 8 * 3);
      for (let first = 0; first < history.length; first += 3) {
        const append = (history[first] ?? '').slice(0, -1);
        expect(history.slice(first, first + 3)).toEqual([`${append}0`, `${append}1`, `${append}2`]);
      }
    });

    test('let one of 50 racing starts succeed, and fail 49 with invalid_transition', async () => {
      const { sessions, store } = open();
      const id = await createdIn(sessions);
      const answers = answersOf(await pool.run(race('start', id, SHARES)));
      expect([count(answers, 'ok'), count(answers, 'invalid_transition')]).toEqual([1, 49]);
      expect((await store.find({ tenant: 'default', id }))._unsafeUnwrap()?.sequence).toBe(2);
    });

    test('let 50 racing terminates succeed, of which one changes the session', async () => {
      const { sessions, store } = open();
      const id = await startedIn(sessions);
      const answers = answersOf(await pool.run(race('terminate', id, SHARES)));
      expect(answers).toEqual(
        Array.from({ length: 50 }, () => ({ outcome: 'ok', value: 'TERMINATED' })),
      );
      const state = { status: 'TERMINATED', endReason: 'terminated' };
      expect((await store.find({ tenant: 'default', id }))._unsafeUnwrap()).toMatchObject({
        state,
        sequence: 3,
      });
    });

    test('create one session for 20 creates with one idempotency key', async () => {
      const { sessions } = open();
      const before = (await okOf(sessions.list())).total;
      const answers = answersOf(await pool.run(race('create', 'the same', [5, 5, 5, 5])));
      expect(count(answers, 'ok')).toBe(20);
      const ids = new Set(answers.map(({ value }) => value));
      expect(ids.size).toBe(1);
      expect((await okOf(sessions.list())).total).toBe(before + 1);
      const again = await okOf(sessions.create({ ...ada, idempotencyKey: 'the same' }));
      expect(ids).toEqual(new Set([again.id]));
    });

    test('keep every acknowledged append that races with terminate, and refuse appends after the end', async () => {
      const { sessions } = open();
      const id = await startedIn(sessions);
      const writers = writersOf([4, 4, 4]);
      const appending: readonly Job[] = writers.map((names) => ({
        job: 'append',
        id,
        writers: names,
        appends: 1_000_000,
        entries: 2,
      }));
      const reports = await pool.run([...appending, { job: 'end', id, after: 200 }]);
      const [terminated, atOnce] = answersOf(reports);
      expect(terminated).toEqual({ outcome: 'ok', value: 'TERMINATED' });
      const written = reports.flatMap((report) => report.written);
      expect(new Set(written.map(({ outcome }) => outcome))).toEqual(
        new Set(['invalid_transition']),
      );
      const history = await contentsOf(sessions, id);
      expect(byWriter(history, writers.flat())).toEqual(saidBy(reports, 2));
      expect(history.length).toBeGreaterThanOrEqual(200);
      expect(atOnce?.value).toBe(JSON.stringify(history));
    });
  },
  moreIfLong(databases, databasesAndClients),
);
