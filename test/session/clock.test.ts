import { describe, expect, test } from 'vitest';
import { monotonic, systemClock, timestampOf } from '../../src/session/clock.js';

const refused = 'clock is more than a year ahead';
const YEAR = 366 * 24 * 60 * 60 * 1000;

/** What is read from a clock with its own timers, which may step. */
const readings = (times: readonly number[]) => {
  const left = [...times];
  const now = monotonic({ now: () => left.shift() ?? Number.NaN, after: () => () => undefined });
  return times.map(() => now().unwrapOr('unusable'));
};

/**
 * What is read from a clock that runs with the machine's timers: each reading with the milliseconds
 * of those before it.
 */
const timed = (times: readonly (readonly [elapsed: number, at: number])[], isMachine = false) => {
  let [elapsed, at] = [0, 0];
  const now = monotonic({ now: () => at }, () => elapsed, isMachine);
  return times.map((each) => {
    [elapsed, at] = each;
    return now().match(
      (ms) => ms,
      ({ message }) => message.slice(0, refused.length),
    );
  });
};

const HOUR = 3_600_000;

/** As `timed`, of the machine's own clock. */
const onMachine = (times: readonly (readonly [elapsed: number, at: number])[]) =>
  timed(times, true);

describe("the machine's clock", () => {
  test('continues with elapsed time after it was set back an hour', () => {
    expect(
      onMachine([
        [0, 5 * HOUR],
        [1000.5, 4 * HOUR + 1000],
        [6000, 4 * HOUR + 6000],
      ]),
    ).toEqual([5 * HOUR, 5 * HOUR + 1000, 5 * HOUR + 6000]);
  });

  test('is followed again when it has caught up', () => {
    expect(
      onMachine([
        [0, 5 * HOUR],
        [1000, 4 * HOUR + 1000],
        [2000, 5 * HOUR + 2300],
        [3000, 5 * HOUR + 3300],
      ]),
    ).toEqual([5 * HOUR, 5 * HOUR + 1000, 5 * HOUR + 2300, 5 * HOUR + 3300]);
  });

  test('is followed back after it has run steadily for five minutes, even if nobody reads it', () => {
    expect(
      onMachine([
        [0, 5 * HOUR],
        [1000, 4 * HOUR + 1000],
        [61_000, 3 * HOUR + 61_000],
        [360_999, 3 * HOUR + 360_999],
        [361_000, 3 * HOUR + 361_000],
        [362_000, 3 * HOUR + 362_000],
      ]),
    ).toEqual([
      5 * HOUR,
      5 * HOUR + 1000,
      5 * HOUR + 61_000,
      5 * HOUR + 360_999,
      3 * HOUR + 361_000,
      3 * HOUR + 362_000,
    ]);
  });

  test('stands still after a step back of up to a second, and never runs backwards', () => {
    expect(
      onMachine([
        [0, HOUR],
        [10, HOUR - 900],
        [900, HOUR - 10],
        [1000, HOUR + 90],
      ]),
    ).toEqual([HOUR, HOUR, HOUR, HOUR + 90]);
  });

  test('continues after a false time in the far future, and follows the end of a suspension', () => {
    expect(
      onMachine([
        [0, HOUR],
        [1000, 300 * YEAR],
        [2000, HOUR + 2000],
        [3000, 20 * HOUR],
      ]),
    ).toEqual([HOUR, HOUR + 1000, HOUR + 2000, 20 * HOUR]);
  });
});

describe('an injected clock that is read steadily', () => {
  test("goes forward as the host's does", () => {
    expect(readings([0, 1, 1, 5])).toEqual([0, 1, 1, 5]);
  });

  test("stands still while the host's is set back, and continues when it has caught up", () => {
    expect(readings([10, 5, 9, 10, 11, 0, 12])).toEqual([10, 10, 10, 10, 11, 11, 12]);
  });

  test('rounds fractions down', () => {
    expect(readings([1.999, 2.001])).toEqual([1, 2]);
  });

  test('is unusable for a moment only, and keeps its earlier reading', () => {
    expect(
      readings([10, Number.NaN, -1, Number.POSITIVE_INFINITY, 253_402_300_800_000, 5]),
    ).toEqual([10, 'unusable', 'unusable', 'unusable', 'unusable', 10]);
  });

  test('ranges from 1970 to the end of 9999', () => {
    expect(readings([0, 253_402_300_799_999])).toEqual([0, 253_402_300_799_999]);
  });

  test('rejects a reading in the far future, and recovers when that is over', () => {
    expect(
      timed([
        [0, 1000],
        [10, 300 * YEAR],
        [11, 1011],
        [20, YEAR + 1020],
        [30, YEAR + 1031],
        [40, 1040],
      ]),
    ).toEqual([1000, refused, 1011, YEAR + 1020, YEAR + 1031, YEAR + 1031]);
    expect(
      timed([
        [0, 1000],
        [10, YEAR + 1011],
        [59_000, YEAR + 60_002],
        [59_500, 60_500],
        [60_500, YEAR + 61_501],
      ]),
    ).toEqual([1000, refused, refused, 60_500, refused]);
  });

  test('follows a step after the clock has run steadily for five minutes', () => {
    expect(
      timed([
        [0, 1000],
        [10, 3 * YEAR],
        [300_009, 3 * YEAR + 299_999],
        [300_010, 3 * YEAR + 300_000],
        [300_020, 3 * YEAR + 300_010],
      ]),
    ).toEqual([1000, refused, refused, 3 * YEAR + 300_000, 3 * YEAR + 300_010]);
  });

  test('continues after an idle time of any length', () => {
    expect(
      timed([
        [0, 1000],
        [40 * YEAR, 40 * YEAR + 900],
      ]),
    ).toEqual([1000, 40 * YEAR + 900]);
  });

  test('follows a step back of more than a year after five minutes, and stands still until then', () => {
    expect(
      timed([
        [0, 9 * YEAR],
        [10, 1000],
        [300_000, 300_990],
        [300_010, 301_000],
        [300_020, 301_010],
      ]),
    ).toEqual([9 * YEAR, 9 * YEAR, 9 * YEAR, 301_000, 301_010]);
  });

  test('reports what is wrong with an invalid clock', () => {
    const error = monotonic({ now: () => Number.NaN })()._unsafeUnwrapErr();
    expect(error).toMatchObject({
      type: 'misconfigured',
      message: expect.stringMatching(/^clock must return/),
    });
  });
});

test("the machine's clock returns milliseconds since the epoch", () => {
  const before = Date.now();
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
});

test.for([
  [0, '1970-01-01T00:00:00.000Z'],
  [1, '1970-01-01T00:00:00.001Z'],
  [1_769_882_402_000, '2026-01-31T18:00:02.000Z'],
  [253_402_300_799_999, '9999-12-31T23:59:59.999Z'],
  [1, '1970-01-01T00:00:00.001Z'],
] as const)('%i ms are formatted as %s', ([ms, timestamp]) => {
  expect(timestampOf(ms)).toBe(timestamp);
  expect(timestampOf(ms)).toBe(timestamp);
});

test('times of many days are formatted correctly in any order', () => {
  const hours = Array.from({ length: 4000 }, (_, number) => (number * 7919) % 4000);
  const times = hours.map((hour) => 1_769_882_402_003 + hour * 3_600_000);
  expect(times.map(timestampOf)).toEqual(times.map((ms) => new Date(ms).toISOString()));
});
