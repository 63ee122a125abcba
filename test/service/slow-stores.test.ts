import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { ManualClock, NOON } from '../support/manual-clock.js';
import { errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

/** A second process on the same store, whose reads are slow. */
const openSlow = (readMs: number) => {
  const inner = new MemorySessionStore();
  const clock = new ManualClock();
  const reads: Partial<SessionStore> = {
    find: async (...args) => {
      clock.pass(readMs);
      return inner.find(...args);
    },
    take: async (range) => {
      clock.pass(readMs);
      return inner.take(range);
    },
    findState: async (key) => {
      clock.pass(readMs);
      return inner.findState(key);
    },
  };
  const { sessions } = openSessions({ store: inner, clock });
  return { sessions, slow: new SessionService({ store: changed(inner, reads), clock }), clock };
};

test("a pause fails if the session's time runs out while the pause reads it", async () => {
  const { sessions, slow, clock } = openSlow(2000);
  const id = await startedIn(sessions, { timeLimit: 10 });
  clock.pass(9000);
  expect(await errorOf(slow.pause(id))).toMatchObject({
    type: 'invalid_transition',
    status: 'TERMINATED',
  });
});

test('a claimed session is leased for its full time, however long the read took', async () => {
  const { sessions, slow } = openSlow(4000);
  await okOf(sessions.wake(await startedIn(sessions)));
  const { claimed } = await okOf(slow.claim({ holder: 'worker-1', seconds: 9 }));
  expect(claimed.map(({ lease }) => Date.parse(lease.until) - NOON)).toEqual([4000 + 9000]);
});
