import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { SessionService } from '../../../src/index.js';
import type { MessageState } from '../../../src/service/turn-results.js';
import type { PositionedEntry } from '../../../src/session/session.js';
import { databases, describeDatabases, newDatabase } from '../../support/databases.js';
import { randomFrom } from '../../support/random.js';
import { ada, okOf } from '../../support/sessions.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import { effort, record, seeds } from '../support/effort.js';
import { startCrowd } from './crowd.js';
import { absentFrom, judge } from './judge.js';
import { type Asks, type Mark, marksThat } from './marks.js';

const PROMISE =
  'each message is taken and answered once, in order, also where workers and hosts are killed';
const SESSIONS = effort(20, 2000);
const PROCESSES = effort(3, 4);
const MINUTES = Number(process.env['COLLOQUY_WORK_MINUTES'] ?? 1);
const LASTS_MS = effort(5000, MINUTES * 60_000);
const KILL_EVERY_MS = effort(800, 3000);
/** How long a process lives on average before it kills itself at one of its steps. */
const LIVES_MS = effort(1500, 8000);
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
  for (const id of ids) await expect.poll(() => isDone(id)).toBe(true);
  const histories = new Map<string, readonly PositionedEntry[]>();
  for (const id of ids)
    histories.set(id, (await okOf(sessions.history(id, { last: 1000 }))).entries);
  return histories;
};

/** What has become of messages, as an answer to each that is sent again. */
const fatesOf = async (sessions: SessionService, sent: ReturnType<typeof absentFrom>) => {
  const fates = new Map<string, MessageState | 'missing'>();
  for (const { id, name } of sent) {
    const { state, repeated } = await okOf(sessions.send(id, { id: name, content: name }));
    fates.set(name, repeated === true ? state : 'missing');
  }
  return fates;
};

/** How much was done. */
const done = (marks: readonly Mark[]) => {
  const died = marksThat(marks, 'died');
  const asked = (kind: Asks['what']) =>
    marksThat(marks, 'asks').filter(({ what }) => what === kind).length;
  return {
    'workers and hosts killed': died.length,
    'steps of a turn at which one was killed': new Set(died.map(({ step }) => step)).size,
    messages: marksThat(marks, 'sent').length,
    'messages withdrawn': marksThat(marks, 'heard').flatMap(({ withdrawn }) => withdrawn).length,
    cancels: asked('cancel'),
    rewinds: asked('rewind'),
    'turns begun': marksThat(marks, 'begin').length,
    'messages that a running turn took': marksThat(marks, 'given').flatMap(({ names }) => names)
      .length,
  };
};

describeDatabases(
  'workers and hosts that are killed at every step and at random',
  (kind) => {
    let worker: Worker;
    beforeAll(async () => {
      worker = await bundleWorker('turn-worker');
    });

    test(
      'lose no message, and answer each message once and in order',
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
          livesMs: LIVES_MS,
        });
        while (Date.now() < talksUntil) {
          await wait(random() * 2 * KILL_EVERY_MS);
          crowd.revive();
          await crowd.replace(Math.floor(random() * PROCESSES));
        }
        crowd.revive();
        const histories = await historiesOf(sessions, ids);
        expect(crowd.isWhole()).toBe(true);

        const marks = crowd.marks();
        const fates = await fatesOf(sessions, absentFrom(histories, marks));
        const found = judge(histories, fates, marks);
        const bars = {
          'messages lost': found.lost,
          'messages taken twice': found.takenTwice,
          'messages answered twice': found.answeredTwice,
          'messages answered by another turn, or too early': found.misanswered,
          'messages without an answer': found.unanswered,
          'messages out of order': found.outOfOrder,
          'messages that were withdrawn and taken': found.withdrawnAndTaken,
          'answers after one of a later lease': found.disordered,
          'runs thrown away but by a crash, a cancel or a rewind': found.thrownAway,
          'sessions that two processes had at the same time': found.overlaps,
        };
        const note = (figure: string, value: number, bar?: string) =>
          record({
            promise: PROMISE,
            figure: `${kind.name}: ${figure}`,
            value,
            ...(bar && { bar }),
          });
        const figures = {
          ...done(marks),
          'runs that a crash ended before their answer was stored': found.crashed,
          'runs that a cancel or a rewind ended so': found.stopped,
          'runs whose lease ran out': found.ranOut,
        };
        for (const [figure, value] of Object.entries(figures)) note(figure, value);
        for (const [figure, value] of Object.entries(bars)) note(figure, value, '0');
        expect(Object.entries(bars).filter(([, value]) => value !== 0)).toEqual([]);
        const { messages, 'workers and hosts killed': kills } = done(marks);
        expect(Math.min(messages, kills)).toBeGreaterThan(0);
      },
      effort(120_000, (MINUTES + 15) * 60_000),
    );
  },
  databases,
);
