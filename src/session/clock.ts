import { err, Ok, type Result } from 'neverthrow';
import { callHost } from './call-host.js';
import { type Misconfigured, misconfigured } from './errors.js';

/**
 * A source of time, in milliseconds since the Unix epoch.
 *
 * @example
 * ```ts
 * const clock = { now: () => Date.parse('2026-01-31T18:00:00Z') };
 * const { createdAt } = await new SessionService({ store, clock }).orThrow.create({
 *   face: 'ada',
 *   profile: 'tutor',
 * });
 * console.log(createdAt); // 2026-01-31T18:00:00.000Z
 * ```
 */
export interface Clock {
  /** The time in milliseconds since the epoch. */
  now(): number;

  /**
   * Calls `done` once, asynchronously, after `ms` milliseconds of this clock, and returns a
   * function that prevents the call. Implement it if the clock does not run with the machine's,
   * such as a manual clock in a test: watches, leases and sweepers then wait by it, and it may step
   * by any amount. Default: the machine's timers; after a step of more than a year, operations
   * return `misconfigured` until the step has lasted for a minute.
   */
  after?(ms: number, done: () => void): () => void;
}

/**
 * Calls `done` after `ms` milliseconds of the clock, or earlier; returns a function that prevents
 * the call.
 */
export type Timer = Required<Clock>['after'];

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** The last millisecond of the year 9999, the latest that RFC 3339 can express. */
export const LATEST = 253_402_300_799_999;

/**
 * Maximum step of a clock, in milliseconds. A larger one is believed once it has lasted for
 * `DOUBT_MS`.
 */
const MAX_STEP_MS = 366 * 24 * 60 * 60 * 1000;
const DOUBT_MS = 60_000;

const clockError = (message: string, cause?: unknown) =>
  err(misconfigured(`clock ${message}`, cause));

const clockRule = 'must return milliseconds since the epoch, from 1970 to 9999';
const unusable = clockError(clockRule);
const stepped = clockError(
  'is more than a year ahead: this is believed after a minute, or at once if the clock has `after`',
);

/**
 * A reading of a clock, and the reading of the machine's timers at the same moment, in
 * milliseconds.
 */
interface Reading {
  readonly at: number;
  readonly elapsed: number;
}

const isStep = (from: Reading, { at, elapsed }: Reading): boolean =>
  Math.abs(at - from.at - (elapsed - from.elapsed)) > MAX_STEP_MS;

/**
 * A clock that never runs backwards in this process: after the host's clock is set back, it repeats
 * its last time until the host's clock has caught up. A step ahead of more than a year is an error,
 * because a false time would end sessions. After a minute such a step is believed, in both
 * directions: a machine may have been suspended, or its clock may have been wrong before. A clock
 * with its own `after` may step ahead by any amount.
 */
export const monotonic = (
  clock: Clock,
  elapsedMs: () => number = () => performance.now(),
): (() => Result<number, Misconfigured>) => {
  let latest = new Ok<number, Misconfigured>(0);
  let last: Reading | undefined;
  /** The first reading after a large step that is not believed yet. */
  let doubted: Reading | undefined;
  return () => {
    try {
      const reading = { at: Math.floor(clock.now()), elapsed: elapsedMs() };
      const { at, elapsed } = reading;
      if (!(at >= 0 && at <= LATEST)) return unusable;
      if (clock.after !== undefined || last === undefined || !isStep(last, reading)) {
        doubted = undefined;
      } else {
        if (doubted === undefined || isStep(doubted, reading)) doubted = reading;
        if (elapsed - doubted.elapsed < DOUBT_MS) return at > latest.value ? stepped : latest;
        doubted = undefined;
        latest = new Ok(at);
      }
      last = reading;
      if (at > latest.value) latest = new Ok(at);
      return latest;
    } catch (cause) {
      return clockError(clockRule, cause);
    }
  };
};

/**
 * Maximum duration of one timer. The clock may step during a wait, so callers read it again at
 * least this often.
 */
const MAX_TIMER_MS = 60_000;

/** The `after` of a clock, or that of the machine if it has none, or throws. Never throws. */
export const timerOf =
  (clock: Clock): Timer =>
  (ms, done) => {
    const cancel = callHost(() => clock.after?.(ms, done));
    // A caller whose timer cannot be cancelled ignores calls that come too late.
    if (cancel !== undefined) return () => callHost(cancel);
    const timer = setTimeout(done, Math.min(Math.max(0, ms), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  };

/**
 * Calls `done` after `ms` milliseconds of a timer, however many; returns a function that prevents
 * the call.
 */
export const afterLong = (after: Timer, ms: number, done: () => void): (() => void) => {
  let cancel = (): void => undefined;
  const wait = (left: number): void => {
    cancel = after(Math.min(left, MAX_TIMER_MS), () => {
      if (left > MAX_TIMER_MS) wait(left - MAX_TIMER_MS);
      else done();
    });
  };
  wait(ms);
  return () => cancel();
};

const DAY_MS = 86_400_000;

const digits = (length: number): readonly string[] =>
  Array.from({ length: 10 ** length }, (_, number) => String(number).padStart(length, '0'));

const [two, three] = [digits(2), digits(3)];

let lastDay = Number.NaN;
let lastDate = '';

/**
 * RFC 3339 in UTC with milliseconds, such as `2026-01-31T18:00:02.000Z`: the format of all times in
 * the public API. Caches the date, because a page has hundreds of times, mostly of one day:
 * `toISOString` would take four times as long.
 */
export const timestampOf = (ms: number): string => {
  const day = Math.floor(ms / DAY_MS);
  if (day !== lastDay) {
    lastDate = new Date(ms).toISOString().split('T')[0] ?? '';
    lastDay = day;
  }
  const rest = ms - day * DAY_MS;
  const [hours, minutes] = [Math.floor(rest / 3_600_000), Math.floor(rest / 60_000) % 60];
  return `${lastDate}T${two[hours]}:${two[minutes]}:${two[Math.floor(rest / 1000) % 60]}.${three[Math.floor(rest % 1000)]}Z`;
};
