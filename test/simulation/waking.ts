import { createWorker, unwrap } from '../../src/index.js';
import type { SimulatedHost, SimulatedSessions } from '../../src/simulation/index.js';
import { aborted, wait } from './steps.js';

/** Wakes and runs, numbered in the order in which they begin. */
export class Wakes {
  #count = 0;
  /** Wakes that are known to be stored. */
  readonly woken: number[] = [];
  /** Runs that were not interrupted. */
  readonly ran: number[] = [];

  next(): number {
    this.#count += 1;
    return this.#count;
  }

  /** Wakes that no later run has followed. */
  get lost(): readonly number[] {
    return this.woken.filter((wake) => !this.ran.some((run) => run > wake));
  }
}

/** A host with a worker that also wakes the session for half a minute. */
export const waking =
  (wakes: () => Wakes) =>
  async (host: SimulatedHost): Promise<void> => {
    const { sessions, clock, signal } = host;
    const noted = wakes();
    const run = async (): Promise<void> => {
      const begun = noted.next();
      await wait(host, 2 * host.random());
      noted.ran.push(begun);
    };
    await using worker = createWorker(sessions, { run, seconds: 10, attempts: 1000 });
    worker.start();
    for (const ends = clock.now() + 30_000; clock.now() < ends && !signal.aborted; ) {
      const begun = noted.next();
      if ((await sessions.wake('s1')).isOk()) noted.woken.push(begun);
      await wait(host, 4 * host.random());
    }
    await aborted(signal);
  };

export const openRoom = async ({ sessions }: SimulatedSessions): Promise<void> => {
  unwrap(await sessions.create({ face: 'ada', profile: 'tutor', start: true }));
};

export const eachWakeFollowed = async (
  { sessions }: SimulatedSessions,
  { lost }: Wakes,
): Promise<void> => {
  if (lost.length > 0) throw new Error(`${lost.length} wakes were lost`);
  const { work } = unwrap(await sessions.get('s1'));
  if (work !== undefined) throw new Error(`s1 still waits: ${JSON.stringify(work)}`);
};
