import { describe, expect, test } from 'vitest';
import { type AppendTarget, decideAppend } from '../../src/session/decide-append.js';
import type { HistoryAppend } from '../../src/store/session-store.js';
import { ended, live, NOON, operationOf, say } from '../../src/testing/samples.js';

const leased = live('ACTIVE', {
  work: { lease: { holder: 'a', fencingToken: 7, takenAt: NOON, until: NOON + 1000 } },
});
const over = ended('terminated');
const target: AppendTarget = { state: leased, known: undefined, end: 3, kept: 3 };
const append: HistoryAppend = { entries: [say('a'), say('b')], now: NOON };
const first = operationOf('first', 'digest of this one');

/** Each condition fails. Those before it are mended one by one. */
const steps: readonly (readonly [string, AppendTarget, HistoryAppend])[] = (() => {
  const wrong = { ...append, operation: first, fencingToken: 8, ifPosition: 2, maxEntries: 4 };
  const known = { digest: 'digest of another', position: 2 };
  return [
    ['mismatch', { ...target, state: over, known }, wrong],
    ['closed', { ...target, state: over }, wrong],
    ['lease_lost', target, wrong],
    ['moved', target, { ...wrong, fencingToken: 7 }],
    ['full', target, { ...wrong, fencingToken: 7, ifPosition: 3 }],
  ];
})();

describe('an append', () => {
  test.each(steps)('is refused for the first of several reasons: %s', (outcome, of, asked) => {
    expect(decideAppend(of, asked)).toMatchObject({ outcome });
  });

  test('follows all entries if nothing speaks against it', () => {
    expect(decideAppend(target, append)).toBe(3);
    expect(
      decideAppend(target, {
        ...append,
        operation: first,
        fencingToken: 7,
        ifPosition: 3,
        maxEntries: 5,
      }),
      'at the very limit of each condition',
    ).toBe(3);
  });

  test('that was made before is answered as then, whatever has happened since', () => {
    const known = { digest: first.digest, position: 2 };
    const again = { ...append, operation: first, fencingToken: 8, ifPosition: 0, maxEntries: 1 };
    expect(decideAppend({ ...target, state: over, known }, again)).toEqual({
      outcome: 'appended',
      position: 2,
      repeated: true,
    });
  });

  test('is told the state that is closed, and the position that the history has moved to', () => {
    expect(decideAppend({ ...target, state: over }, append)).toEqual({
      outcome: 'closed',
      state: over,
    });
    expect(decideAppend(target, { ...append, ifPosition: 2 })).toEqual({
      outcome: 'moved',
      position: 3,
    });
  });

  test('is accepted until the deadline, and with a fencing token until the end of the lease, both exclusive', () => {
    const state = { ...leased, deadline: NOON + 2000 };
    const at = (ms: number, fencingToken?: number) =>
      decideAppend(
        { ...target, state },
        { ...append, now: NOON + ms, ...(fencingToken && { fencingToken }) },
      );
    expect([at(1999), at(2000), at(999, 7), at(1000, 7)]).toMatchObject([
      3,
      { outcome: 'closed' },
      3,
      { outcome: 'lease_lost' },
    ]);
  });

  test('with a position follows the entries up to it, and may have none', () => {
    const follow = (after: number) =>
      decideAppend({ ...target, kept: after }, { ...append, entries: [], after });
    expect([0, 1, 3].map(follow)).toEqual([0, 1, 3]);
    expect(follow(4)).toEqual({ outcome: 'invalid_position' });
  });

  test('with a position counts only what stays towards the longest history', () => {
    const follow = (after: number) =>
      decideAppend({ ...target, kept: after }, { ...append, after, maxEntries: 3 });
    expect(follow(1)).toBe(1);
    expect(follow(2)).toEqual({ outcome: 'full' });
  });

  test('with a position that is superseded is told where the history has moved to', () => {
    const rewound = { ...target, end: 9, kept: undefined };
    expect(decideAppend(rewound, { ...append, after: 2 })).toEqual({
      outcome: 'moved',
      position: 9,
    });
    expect(decideAppend(rewound, { ...append, after: 10 }), 'beyond the end').toEqual({
      outcome: 'invalid_position',
    });
  });
});
