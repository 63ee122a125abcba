import { describe, expect, test } from 'vitest';
import { type AppendTarget, decideAppend } from '../../src/session/decide-append.js';
import type { HistoryAppend } from '../../src/store/session-store.js';
import { ended, live, NOON, operationOf, say } from '../../src/testing/samples.js';

const leased = live('ACTIVE', { lease: { holder: 'a', fencingToken: 7, takenAt: NOON, until: NOON + 1000 } });
const over = ended('terminated');
const positions = { entries: 3, end: 3, positionOf: (number: number) => number };
const target: AppendTarget = { state: leased, positions, known: undefined };
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
      decideAppend(target, { ...append, operation: first, fencingToken: 7, ifPosition: 3, maxEntries: 5 }),
      'at the very limit of each condition',
    ).toBe(3);
  });

  test('that was made before is answered as then, whatever has happened since', () => {
    const known = { digest: first.digest, position: 2 };
    const again = { ...append, operation: first, fencingToken: 8, ifPosition: 0, maxEntries: 1 };
    expect(decideAppend({ state: over, positions, known }, again)).toEqual({
      outcome: 'appended',
      position: 2,
      repeated: true,
    });
  });

  test('is told the state that is closed, and the position that the history has moved to', () => {
    expect(decideAppend({ ...target, state: over }, append)).toEqual({ outcome: 'closed', state: over });
    expect(decideAppend(target, { ...append, ifPosition: 2 })).toEqual({ outcome: 'moved', position: 3 });
  });

  test('is accepted until the deadline, and with a fencing token until the end of the lease, both exclusive', () => {
    const state = { ...leased, deadline: NOON + 2000 };
    const at = (ms: number, fencingToken?: number) =>
      decideAppend({ ...target, state }, { ...append, now: NOON + ms, ...(fencingToken && { fencingToken }) });
    expect([at(1999), at(2000), at(999, 7), at(1000, 7)]).toMatchObject([
      3,
      { outcome: 'closed' },
      3,
      { outcome: 'lease_lost' },
    ]);
  });

  test('with a position follows the entries up to it, and may have none', () => {
    const follow = (position: number) => decideAppend(target, { ...append, entries: [], after: position });
    expect([0, 1, 3].map(follow)).toEqual([0, 1, 3]);
    expect(follow(4)).toEqual({ outcome: 'invalid_position' });
  });

  test('with a position counts only what stays towards the longest history', () => {
    expect(decideAppend(target, { ...append, after: 1, maxEntries: 3 })).toBe(1);
    expect(decideAppend(target, { ...append, after: 2, maxEntries: 3 })).toEqual({ outcome: 'full' });
  });

  test('with a position that is superseded is told where the history has moved to', () => {
    // Three entries, a rewind to the first with two entries, and another to the beginning of these two.
    const at = [1, 8, 9];
    const rewound = {
      ...target,
      positions: { entries: 3, end: 9, positionOf: (number: number) => at[number - 1] ?? 0 },
    };
    const follow = (position: number) => decideAppend(rewound, { ...append, after: position });
    expect([0, 1, 7, 8, 9].map(follow), 'entries, the rewind before one, the beginning and the end').toEqual([
      0, 1, 1, 2, 3,
    ]);
    for (const position of [2, 3, 4, 5, 6]) expect(follow(position)).toEqual({ outcome: 'moved', position: 9 });
  });
});
