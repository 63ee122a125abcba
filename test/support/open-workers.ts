import { afterEach } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { Turn } from '../../src/service/service-turn.js';
import type { SessionService } from '../../src/service/session-service.js';
import { createWorker, type Worker } from '../../src/service/worker.js';
import type { WorkerOptions } from '../../src/service/worker-options.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { ada, okOf, openSessions } from './sessions.js';

const started: Worker[] = [];
const held: (() => void)[] = [];

afterEach(async () => {
  for (const finish of held.splice(0)) finish();
  await Promise.all(started.splice(0).map((worker) => worker.stop()));
});

export const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work that lasts until the test ends it. */
export const lasting = () => {
  const begun: Turn[] = [];
  const ends: (() => void)[] = [];
  const run = (turn: Turn) => {
    begun.push(turn);
    return new Promise<void>((resolve) => {
      ends.push(resolve);
      held.push(resolve);
    });
  };
  return { run, begun, finish: () => ends.shift()?.() };
};

export const openWorkers = (store: SessionStore = new MemorySessionStore({ events: true })) => {
  const bench = openSessions({ store });
  const { sessions, clock } = bench;
  const errors: unknown[] = [];
  /** Moves the clock in small steps, so that timers and promises run in between. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 250) {
      clock.pass(Math.min(left, 250));
      for (let turn = 0; turn < 5; turn += 1) await settled();
    }
  };
  const work = (options: WorkerOptions, of: SessionService = sessions) => {
    const worker = createWorker(of, { onError: (error) => errors.push(error), ...options });
    started.push(worker);
    worker.start();
    return worker;
  };
  const waiting = async () => (await okOf(sessions.create({ ...ada, start: true, wake: true }))).id;
  return { ...bench, errors, pass, work, waiting };
};
