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
  'each turn is answered once, by one worker at a time, also where workers are killed';
const SESSIONS = effort(20, 10_000);
const PROCESSES = effort(3, 4);
const WRITERS = 4;
const MINUTES = Number(process.env['COLLOQUY_WORK_MINUTES'] ?? 1);
const LASTS_MS = effort(2500, MINUTES * 60_000);
const KILL_EVERY_MS = effort(400, 5000);
/** A short one is followed soon, and a busy machine is only slower. */
const SECONDS = effort(1, 10);

describeDatabases(
  'workers that are killed at any time',
  (kind) => {
    let worker: Worker;
    beforeAll(async () => {
      worker = await bundleWorker('turn-worker');
    });

    test(
      'answer each turn once, one at a time, and forget none',
      async () => {
        const [seed = 1] = seeds(1);
        const random = randomFrom(seed);
        const database = await newDatabase(kind);
        const sessions = new SessionService({ store: database.open() });
        const ids: string[] = [];
        let turns = 0;
        let kills = 0;
        const each = async (what: () => Promise<unknown>) => {
          while (Date.now() < endsAt) await what();
        };

        const say = async (id: string): Promise<void> => {
          turns += 1;
          const options = { wake: true, operationId: `turn-${turns}` };
          const entry = { role: 'user', content: `turn ${turns}` };
          // A caller that has heard no answer sends it again.
          const sent = [1, 2].map(() => okOf(sessions.append(id, [entry], options)));
          await Promise.all(sent);
        };
        while (ids.length < SESSIONS) {
          const first = {
            ...ada,
            start: true,
            wake: true,
            entries: [{ role: 'user', content: 'the first turn' }],
          };
          const some = await Promise.all(
            Array.from({ length: 20 }, () => okOf(sessions.create(first))),
          );
          ids.push(...some.map(({ id }) => id));
          turns += some.length;
        }
        const crowd = startCrowd(worker, PROCESSES, {
          address: database.address,
          concurrency: 8,
          seconds: SECONDS,
        });
        const endsAt = Date.now() + LASTS_MS;
        const write = async () => {
          await say(ids[Math.floor(random() * SESSIONS)] ?? '');
          await wait(random() * 20);
        };
        const kill = async () => {
          await wait(random() * 2 * KILL_EVERY_MS);
          kills += 1;
          await crowd.replace(Math.floor(random() * PROCESSES));
        };
        await Promise.all([each(kill), ...Array.from({ length: WRITERS }, () => each(write))]);

        const isDone = async (id: string) =>
          (await okOf(sessions.get(id, { historyLimit: 0 }))).work === undefined;
        for (const id of ids)
          await expect.poll(() => isDone(id), { timeout: PATIENT_MS }).toBe(true);
        expect(crowd.isWhole()).toBe(true);

        const histories: (readonly PositionedEntry[])[] = [];
        for (const id of ids)
          histories.push((await okOf(sessions.history(id, { last: 1000 }))).entries);
        const found = judge(histories);
        const marks = crowd.marks();
        const bars = {
          'turns answered twice': found.answeredTwice,
          'turns forgotten': found.forgotten,
          'turns that are missing or there twice': Math.abs(turns - found.turns),
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
        note('workers killed', kills);
        note('turns', turns);
        note('claims', marks.filter(({ did }) => did === 'begin').length);
        for (const [figure, value] of Object.entries(bars)) note(figure, value, '0');
        expect(Object.entries(bars).filter(([, value]) => value !== 0)).toEqual([]);
        expect(kills).toBeGreaterThan(0);
      },
      effort(120_000, (MINUTES + 15) * 60_000),
    );
  },
  databases,
);
