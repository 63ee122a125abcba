import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { errorOf, okOf } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import {
  awayError,
  leaseOf,
  nineSeconds,
  openLeases,
  settled,
  working,
} from '../support/with-lease.js';

/**
 * A store that applies changes immediately, and answers when the test allows it. While it is away,
 * it applies none.
 */
const openLate = async () => {
  const inner = new MemorySessionStore();
  const pending: (() => void)[] = [];
  let mode: 'prompt' | 'late' | 'away' = 'prompt';
  const store = changed(inner, {
    put: (commit) => {
      if (mode === 'away') return awayError();
      const replaced = inner.change(commit);
      return mode === 'prompt'
        ? replaced
        : new Promise((resolve) => pending.push(() => resolve(replaced)));
    },
  });
  const be = (next: typeof mode) => {
    mode = next;
  };
  const answer = async () => {
    for (const each of pending.splice(0)) each();
    await settled();
  };
  return { ...(await openLeases(store)), be, answer, pending };
};

describe('withLease during a slow store', () => {
  test.each([
    ['taken', 0, 9000],
    ['renewed', 3000, 12_000],
  ] as const)(
    "aborts the signal at the lease's stored end, however late it learns that the lease is %s",
    async (_, calledAt, endsAt) => {
      const bench = await openLate();
      const { sessions, id, pass, be, answer } = bench;
      const { use, begun, finish } = working();
      be(calledAt === 0 ? 'late' : 'prompt');
      const result = sessions.withLease(id, nineSeconds, use);
      await settled();
      be('late');
      await pass(calledAt + 4000);
      be('away');
      await answer();
      const { signal } = await begun;
      await pass(endsAt - calledAt - 4500);
      expect(await leaseOf(bench)).toBeDefined();
      expect(signal.aborted).toBe(false);
      await pass(500);
      expect(await leaseOf(bench)).toBeUndefined();
      expect([signal.aborted, signal.reason]).toMatchObject([true, { type: 'lease_lost' }]);
      finish();
      expect(await errorOf(result)).toMatchObject({ type: 'lease_lost' });
    },
  );

  test('sends one renewal at a time', async () => {
    const { sessions, id, pass, be, answer, pending } = await openLate();
    const { use, begun, finish } = working();
    const result = sessions.withLease(id, nineSeconds, use);
    await begun;
    be('late');
    await pass(6000);
    expect(pending).toHaveLength(1);
    be('prompt');
    await answer();
    finish();
    expect(await okOf(result)).toBe('done');
  });

  test('waits with one timer, and leaves no timer behind after many renewals', async () => {
    const { sessions, id, clock, pass } = await openLate();
    const { use, begun, finish } = working();
    const result = sessions.withLease(id, nineSeconds, use);
    await begun;
    await pass(60_000);
    expect(clock.waiting).toBe(1);
    finish();
    expect(await okOf(result)).toBe('done');
    expect(clock.waiting).toBe(0);
  });

  test('leaves no timer behind if a renewal settles after the work', async () => {
    const { sessions, id, clock, pass, be, answer } = await openLate();
    const { use, begun, finish } = working();
    const result = sessions.withLease(id, nineSeconds, use);
    await begun;
    be('late');
    await pass(3000);
    be('prompt');
    finish();
    expect(await okOf(result)).toBe('done');
    await answer();
    expect(clock.waiting).toBe(0);
  });

  test('does not abort the signal of finished work, however long the release takes', async () => {
    const { sessions, id, pass, be, answer } = await openLate();
    const { use, begun, finish } = working();
    const result = sessions.withLease(id, nineSeconds, use);
    const { signal } = await begun;
    be('late');
    finish();
    await settled();
    be('prompt');
    await pass(20_000);
    await answer();
    expect(await okOf(result)).toBe('done');
    expect(signal.aborted).toBe(false);
  });
});
