import { err, Ok, type Result } from 'neverthrow';
import { type Misconfigured, misconfigured } from './errors.js';

/** A source of time, in milliseconds since the Unix epoch. */
export interface Clock {
  /** The time in milliseconds since the epoch. */
  now(): number;

  /**
   * Calls `done` once, later, when `ms` milliseconds have passed, and returns a function that prevents the
   * call. For a clock that does not run with the machine's, such as one that a test moves: it may then step as it likes,
   * and watches, leases and sweepers wait by it. Default: a timer of the machine; a step of more than a year is refused for a minute.
   */
  after?(ms: number, done: () => void): () => void;
}

/** Calls `done` when the clock has gone on by `ms`, or earlier; returns a function that prevents the call. */
export type Timer = Required<Clock>['after'];

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** The last millisecond of the year 9999, the latest that RFC 3339 can express. */
export const LATEST = 253_402_300_799_999;

/** Milliseconds by which a clock may step. Beyond it, the step counts once it has lasted for `DOUBT_MS`. */
const MAX_STEP_MS = 366 * 24 * 60 * 60 * 1000;
const DOUBT_MS = 60_000;

const clockError = (message: string) => err(misconfigured(`clock ${message}`));

const unusable = clockError('must give milliseconds since the epoch, not before 1970 nor after 9999');
const stepped = clockError(
  'has gone ahead by more than a year, which counts after a minute, or at once for a clock with `after`',
);

/** A reading of a clock, and milliseconds of the machine's timers at that moment. */
interface Reading {
  readonly at: number;
  readonly elapsed: number;
}

const isStep = (from: Reading, { at, elapsed }: Reading): boolean =>
  Math.abs(at - from.at - (elapsed - from.elapsed)) > MAX_STEP_MS;

/**
 * A clock that does not run backwards within this process: while the host's clock is set back, time stands still. A
 * reading more than a year ahead of the machine's timers is an error, because a wrong one would end sessions. A step that
 * lasts for a minute counts, in both directions: a machine that was suspended goes on, and so does one whose clock was
 * wrong for longer. A clock with its own `after` may step ahead.
 */
export const monotonic = (
  clock: Clock,
  elapsedMs: () => number = () => performance.now(),
): (() => Result<number, Misconfigured>) => {
  let latest = new Ok<number, Misconfigured>(0);
  let last: Reading | undefined;
  /** The first reading after a step that may be false. */
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
    } catch {
      return unusable;
    }
  };
};

/** A longer wait ends early, because the clock may step meanwhile: its caller looks at the clock and waits again. */
export const MAX_TIMER_MS = 60_000;

/** The `after` of a clock, or that of the machine. Never throws. */
export const timerOf =
  (clock: Clock): Timer =>
  (ms, done) => {
    try {
      const cancel = clock.after?.(ms, done);
      if (cancel !== undefined) {
        return () => {
          try {
            cancel();
          } catch {
            // A call too many does no harm.
          }
        };
      }
    } catch {
      // The machine's timers are better than none.
    }
    const timer = setTimeout(done, Math.min(Math.max(0, ms), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  };

const DAY_MS = 86_400_000;

const digits = (length: number): readonly string[] =>
  Array.from({ length: 10 ** length }, (_, number) => String(number).padStart(length, '0'));

const [two, three] = [digits(2), digits(3)];

let lastDay = Number.NaN;
let lastDate = '';

/**
 * RFC 3339 in UTC with milliseconds, such as `2026-01-31T18:00:02.000Z`: the format of all times in the public API. A page
 * has hundreds of times, mostly of one day: `toISOString` takes four times as long.
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
