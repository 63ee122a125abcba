import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { SessionService } from '../../../src/index.js';
import type { PositionedEntry } from '../../../src/session/session.js';
import { databases, describeDatabases, newDatabase } from '../../support/databases.js';
import { PATIENT_MS } from '../../support/patience.js';
import { randomFrom } from '../../support/random.js';
import { ada, okOf } from '../../support/sessions.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import { effort, record, seeds } from '../support/effort.js';
import { startCrowd } from './crowd.js';
import { judge, overlapsIn } from './judge.js';

const PROMISE =
  'each message is taken and answered once, in order, also where workers and hosts are killed';
const SESSIONS = effort(20, 2000);
const PROCESSES = effort(3, 4);
const MINUTES = Number(process.env['COLLOQUY_WORK_MINUTES'] ?? 1);
const LASTS_MS = effort(5000, MINUTES * 60_000);
const KILL_EVERY_MS = effort(800, 3000);
/** The chance that a process kills itself at one of its steps. */
const DIES = effort(0.004, 0.001);
/** A short one is followed soon, and a busy machine is only slower. */
const SECONDS = effort(1, 10);

/** Sessions without messages. */
const openChats = async (sessions: SessionService): Promise<readonly string[]> => {
  const ids: string[] = [];
  while (ids.length < SESSIONS) {
    const some = Array.from({ length: 20 }, () => okOf(sessions.create({ ...ada, start: true })));
    ids.push(...(await Promise.all(some)).map(({ id }) => id));
  }
  return ids;
};

/** The histories of sessions whose turns are over. */
const historiesOf = async (sessions: SessionService, ids: readonly string[]) => {
  const isDone = async (id: string) =>
    (await okOf(sessions.get(id, { historyLimit: 0 }))).work === undefined;
  for (const id of ids) await expect.poll(() => isDone(id), { timeout: PATIENT_MS }).toBe(true);
  const histories: (readonly PositionedEntry[])[] = [];
  for (const id of ids) histories.push((await okOf(sessions.history(id, { last: 1000 }))).entries);
  return histories;
};

describeDatabases(
  'workers and chatty hosts that are killed at every step and at random',
  (kind) => {
    let worker: Worker;
    beforeAll(async () => {
      worker = await bundleWorker('turn-worker');
    });

    test(
      'lose no message, and answer each once and in order',
      async () => {
        const [seed = 1] = seeds(1);
        const random = randomFrom(seed);
        const database = await newDatabase(kind);
        const sessions = new SessionService({ store: database.open() });
        const ids = await openChats(sessions);
        const talksUntil = Date.now() + LASTS_MS;
        const crowd = startCrowd(worker, PROCESSES, {
          address: database.address,
          concurrency: 8,
          seconds: SECONDS,
          ids,
          talksUntil,
          dies: DIES,
        });
        let kills = 0;
        while (Date.now() < talksUntil) {
          await wait(random() * 2 * KILL_EVERY_MS);
          kills += 1 + crowd.revive();
          await crowd.replace(Math.floor(random() * PROCESSES));
        }
        kills += crowd.revive();
        const histories = await historiesOf(sessions, ids);
        expect(crowd.isWhole()).toBe(true);

        const marks = crowd.marks();
        const found = judge(histories, marks);
        const bars = {
          'messages lost': found.lost,
          'messages taken twice': found.takenTwice,
          'messages answered twice': found.answeredTwice,
          'messages without an answer': found.unanswered,
          'messages out of order': found.outOfOrder,
          'answers after one of a later lease': found.disordered,
          'sessions that two processes had at the same time': overlapsIn(marks),
        };
        const note = (figure: string, value: number, bar?: string) =>
          record({
            promise: PROMISE,
            figure: `${kind.name}: ${figure}`,
            value,
            ...(bar && { bar }),
          });
        note('workers and hosts killed', kills);
        note('messages', found.messages);
        note('turns begun', marks.filter(({ did }) => did === 'begin').length);
        for (const [figure, value] of Object.entries(bars)) note(figure, value, '0');
        expect(Object.entries(bars).filter(([, value]) => value !== 0)).toEqual([]);
        expect(Math.min(kills, found.messages)).toBeGreaterThan(0);
      },
      effort(120_000, (MINUTES + 15) * 60_000),
    );
  },
  databases,
);
