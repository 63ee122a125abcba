import { err, Ok, type Result } from 'neverthrow';
import { type InvalidInput, invalidInput } from '../errors.js';

/** A source of time, in milliseconds since the Unix epoch. */
export interface Clock {
  /** The time in milliseconds since the epoch. */
  now(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** The last millisecond of the year 9999, the latest that RFC 3339 can express. */
export const LATEST = 253_402_300_799_999;

const unusable = err(
  invalidInput([{ path: 'clock', message: 'must give milliseconds since the epoch, not before 1970 nor after 9999' }]),
);

/** A clock that never runs backwards within this process: while the host's clock is set back, time stands still. */
export const monotonic = (clock: Clock): (() => Result<number, InvalidInput>) => {
  let latest = new Ok<number, InvalidInput>(0);
  return () => {
    try {
      const reading = Math.floor(clock.now());
      if (!(reading >= 0 && reading <= LATEST)) return unusable;
      if (reading > latest.value) latest = new Ok(reading);
      return latest;
    } catch {
      return unusable;
    }
  };
};

let lastMs = 0;
let lastTimestamp = new Date(lastMs).toISOString();

/** RFC 3339 in UTC with milliseconds, such as `2026-01-31T18:00:02.000Z`: the format of all times in the public API. */
export const timestampOf = (ms: number): string => {
  if (ms !== lastMs) {
    lastTimestamp = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastTimestamp;
};
