import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { SessionService } from '../../../src/index.js';
import type { HistoryEntry } from '../../../src/session/session.js';
import { databases, describeDatabases, newDatabase } from '../../support/databases.js';
import { PATIENT_MS } from '../../support/patience.js';
import { randomFrom } from '../../support/random.js';
import { okOf, startedIn } from '../../support/sessions.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import { effort, record, seeds, triedDatabases } from '../support/effort.js';

const PROMISE =
  'a worker that dies is followed within the length of its lease, and writes nothing after that';
const FAULTS = effort(2, 40);
const PROCESSES = 3;
const SESSIONS = 6;
const LEASE_MS = 1000;
/**
 * How long a session may wait beyond the lease. A short run judges only that it is taken up: the
 * machine may be busy.
 */
const MARGIN_MS = effort(PATIENT_MS, 500);

interface Fault {
  readonly holder: string;
  readonly at: number;
}

interface Written {
  readonly holder: string;
  readonly token: number;
  readonly at: number;
}

const writtenIn = (history: readonly HistoryEntry[]): readonly Written[] =>
  history.map(({ content, timestamp }) => {
    const [holder = '', token] = content.split(' ');
    return { holder, token: Number(token), at: Date.parse(timestamp) };
  });

/** Entries after one of a higher token, and tokens of two holders. */
const writesOfFormerHolders = (written: readonly Written[]): number => {
  const holders = new Map<number, string>();
  let last = 0;
  let wrong = 0;
  for (const { holder, token } of written) {
    if (token < last || (holders.get(token) ?? holder) !== holder) wrong += 1;
    holders.set(token, holder);
    last = Math.max(last, token);
  }
  return wrong;
};

/**
 * The milliseconds from each fault of the holder of a session to the first write of the next one.
 */
const takeoversOf = (written: readonly Written[], faults: readonly Fault[]): readonly number[] =>
  faults.flatMap(({ holder, at }) => {
    const last = written.findLast((each) => each.at <= at);
    if (last?.holder !== holder) return [];
    const next = written.find(({ token }) => token > last.token);
    return [(next?.at ?? Number.POSITIVE_INFINITY) - at];
  });

describeDatabases(
  'workers that are killed and paused',
  (kind) => {
    let worker: Worker;
    beforeAll(async () => {
      worker = await bundleWorker('leaser');
    });

    test(
      'are replaced by others, and write nothing after that',
      async () => {
        const [seed = 1] = seeds(1);
        const random = randomFrom(seed);
        const database = await newDatabase(kind);
        const sessions = new SessionService({ store: database.open() });
        const ids: string[] = [];
        for (let at = 0; at < SESSIONS; at += 1) {
          const id = await startedIn(sessions);
          await okOf(sessions.wake(id));
          ids.push(id);
        }

        const running: { readonly holder: string; readonly child: ChildProcess }[] = [];
        const faults: Fault[] = [];
        let started = 0;
        const start = () => {
          started += 1;
          const holder = `p${started}`;
          const args = [
            worker.file,
            JSON.stringify(database.address),
            holder,
            String(LEASE_MS / 1000),
          ];
          running.push({
            holder,
            child: spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }),
          });
        };
        const historyOf = async (id: string) => writtenIn((await okOf(sessions.get(id))).history);
        /** Who has written last to most sessions. */
        const busiest = async (): Promise<number> => {
          const last = await Promise.all(
            ids.map(async (id) => (await historyOf(id)).at(-1)?.holder),
          );
          const counts = running.map(({ holder }) => last.filter((each) => each === holder).length);
          return counts.indexOf(Math.max(...counts));
        };
        for (let each = 0; each < PROCESSES; each += 1) start();
        const isWritten = async () =>
          (await Promise.all(ids.map(historyOf))).every(({ length }) => length > 0);
        try {
          await expect.poll(isWritten).toBe(true);
          for (let each = 0; each < FAULTS; each += 1) {
            const at = await busiest();
            const { holder, child } = running[at] ?? {};
            if (holder === undefined || child === undefined) throw new Error('nobody is running');
            faults.push({ holder, at: Date.now() });
            // A process that is paused within a transaction of SQLite keeps all others from
            // writing.
            if (kind.name.startsWith('SQLite') || random() < 0.6) {
              running.splice(at, 1);
              child.kill('SIGKILL');
              await once(child, 'exit');
              start();
            } else {
              child.kill('SIGSTOP');
              setTimeout(() => child.kill('SIGCONT'), LEASE_MS + 500 + random() * 500);
            }
            await wait(LEASE_MS + 500 + random() * 1000);
          }
          const last = faults.at(-1)?.at ?? 0;
          const isFollowed = async () =>
            (await Promise.all(ids.map(historyOf))).every((each) =>
              each.some(({ at }) => at > last + LEASE_MS),
            );
          await expect.poll(isFollowed).toBe(true);
        } finally {
          for (const { child } of running) child.kill('SIGKILL');
          await Promise.all(
            running.map(({ child }) => child.exitCode ?? child.signalCode ?? once(child, 'exit')),
          );
        }

        const histories = await Promise.all(ids.map(historyOf));
        const takeovers = histories
          .flatMap((written) => takeoversOf(written, faults))
          .toSorted((a, b) => a - b);
        const wrong = histories.reduce((sum, written) => sum + writesOfFormerHolders(written), 0);
        const longest = takeovers.at(-1) ?? 0;
        const note = (figure: string, value: number, bar?: string) =>
          record({
            promise: PROMISE,
            figure: `${kind.name}: ${figure}`,
            value,
            ...(bar && { bar }),
          });
        note('workers killed or paused', faults.length);
        note('sessions taken over', takeovers.length);
        note(
          `longest wait in ms, with leases of ${LEASE_MS} ms`,
          longest,
          `at most ${LEASE_MS + 500}`,
        );
        note('writes by a former holder', wrong, '0');
        expect(wrong).toBe(0);
        expect(takeovers.length).toBeGreaterThan(0);
        expect(longest).toBeLessThanOrEqual(LEASE_MS + MARGIN_MS);
      },
      effort(120_000, 900_000),
    );
  },
  // The simulation of the engine has leases, pauses and crashes on every store: a short run is for
  // the processes.
  effort(databases.slice(0, 1), triedDatabases),
);
