import { describe, expect, test } from 'vitest';
import { monotonic, systemClock, timestampOf } from '../../src/session/clock.js';

const readings = (times: readonly number[]) => {
  const left = [...times];
  const now = monotonic({ now: () => left.shift() ?? Number.NaN });
  return times.map(() => now().unwrapOr('unusable'));
};

describe('a clock that is read steadily', () => {
  test('goes forward as the host\u2019s does', () => {
    expect(readings([0, 1, 1, 5])).toEqual([0, 1, 1, 5]);
  });

  test('stands still while the host\u2019s is set back, and goes on when it has caught up', () => {
    expect(readings([10, 5, 9, 10, 11, 0, 12])).toEqual([10, 10, 10, 10, 11, 11, 12]);
  });

  test('cuts fractions off', () => {
    expect(readings([1.999, 2.001])).toEqual([1, 2]);
  });

  test('is unusable for a moment only: what it gave before still counts', () => {
    expect(readings([10, Number.NaN, -1, Number.POSITIVE_INFINITY, 253_402_300_800_000, 5])).toEqual([
      10,
      'unusable',
      'unusable',
      'unusable',
      'unusable',
      10,
    ]);
  });

  test('reaches from 1970 to the end of 9999', () => {
    expect(readings([0, 253_402_300_799_999])).toEqual([0, 253_402_300_799_999]);
  });

  test('says what is wrong where a clock is none', () => {
    const error = monotonic({ now: () => Number.NaN })()._unsafeUnwrapErr();
    expect(error).toMatchObject({ type: 'invalid_input', issues: [{ path: 'clock' }] });
  });
});

test('the machine\u2019s clock gives milliseconds since the epoch', () => {
  const before = Date.now();
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
});

test.for([
  [0, '1970-01-01T00:00:00.000Z'],
  [1, '1970-01-01T00:00:00.001Z'],
  [1_769_882_402_000, '2026-01-31T18:00:02.000Z'],
  [253_402_300_799_999, '9999-12-31T23:59:59.999Z'],
  [1, '1970-01-01T00:00:00.001Z'],
] as const)('%i ms are %s', ([ms, timestamp]) => {
  expect(timestampOf(ms)).toBe(timestamp);
  expect(timestampOf(ms)).toBe(timestamp);
});
