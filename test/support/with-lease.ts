import { err } from 'neverthrow';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionService } from '../../src/service/session-service.js';
import { storeUnavailable } from '../../src/session/errors.js';
import type { HeldLease } from '../../src/session/with-lease.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { okOf, openSessions, startedIn } from './sessions.js';

export const settled = () => new Promise((resolve) => setImmediate(resolve));

export const awayError = () => err(storeUnavailable('it is away', 'not_applied'));

export const nineSeconds = { holder: 'worker-1', seconds: 9 };

/** A callback for `withLease` that runs until the test ends it. */
export const working = () => {
  let begin: (lease: HeldLease<SessionService>) => void;
  let finish: (value: string) => void;
  const begun = new Promise<HeldLease<SessionService>>((resolve) => {
    begin = resolve;
  });
  const finished = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const use = (lease: HeldLease<SessionService>) => {
    begin(lease);
    return finished;
  };
  return { use, begun, finish: (value = 'done') => finish(value) };
};

export const openLeases = async (store: SessionStore = new MemorySessionStore()) => {
  const { sessions, clock } = openSessions({ store });
  const id = await startedIn(sessions);
  /** Moves the clock in small steps, so that timers and promises run in between. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 500) {
      clock.pass(Math.min(left, 500));
      await settled();
    }
  };
  return { sessions, store, clock, id, pass };
};

export const leaseOf = async ({ sessions, id }: Awaited<ReturnType<typeof openLeases>>) =>
  (await okOf(sessions.get(id))).lease;
