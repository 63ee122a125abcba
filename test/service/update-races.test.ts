import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { StateChange } from '../../src/store/commit.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { ada, okOf, openSessions } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

/** An expired session, and a service that is interrupted before its nth store call. */
const opened = async (interruptedAt: number) => {
  const memory = new MemorySessionStore();
  const { sessions: other, clock } = openSessions({ store: memory });
  const { id, revision } = await okOf(other.create({ ...ada, start: true, timeLimit: 1 }));
  clock.pass(1000);
  let calls = 0;
  const interrupt = async () => {
    calls += 1;
    if (calls !== interruptedAt) return;
    await okOf(other.update(id, { metadata: { by: 'other' }, labels: { other: 'yes' } }));
  };
  const inner = changed(memory, {});
  const findState: SessionStore['findState'] = async (...args) => {
    await interrupt();
    return inner.findState(...args);
  };
  const put = async (commit: StateChange) => {
    await interrupt();
    return inner.change(commit);
  };
  const store = changed(memory, { findState, put });
  const { sessions } = openSessions({ store, clock });
  return { sessions, id, revision, callsOf: () => calls };
};

/** Reads, finds the end, reads, stores the end, and stores the update. */
const CALLS = 4;

describe('an update of an overdue session', () => {
  test('makes exactly the store calls that these tests interrupt', async () => {
    const { sessions, id, revision, callsOf } = await opened(0);
    await okOf(sessions.update(id, { metadata: { by: 'me' } }, { ifRevision: revision }));
    expect(callsOf()).toBe(CALLS);
  });

  test.each([1, 2, 3, 4])(
    'fails with conflict if another update completes before its call %d',
    async (interruptedAt) => {
      const { sessions, id, revision } = await opened(interruptedAt);
      const updated = await sessions.update(
        id,
        { metadata: { by: 'me' } },
        { ifRevision: revision },
      );
      expect(updated._unsafeUnwrapErr()).toMatchObject({ type: 'conflict' });
      expect((await okOf(sessions.get(id))).metadata).toEqual({ by: 'other' });
    },
  );

  test.each([1, 2, 3, 4])(
    'keeps what another update changed before its call %d, without ifRevision',
    async (interruptedAt) => {
      const { sessions, id } = await opened(interruptedAt);
      await okOf(sessions.update(id, { labels: { mine: 'yes' } }));
      expect(await okOf(sessions.get(id))).toMatchObject({
        status: 'TERMINATED',
        labels: { other: 'yes', mine: 'yes' },
        metadata: { by: 'other' },
      });
    },
  );
});
