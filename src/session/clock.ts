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
   * function that prevents the call. Implement it if the clock does not run with the machine's, for
   * example a manual clock in a test: watches, leases and sweepers then wait by it, and it may step
   * by any amount. Default: the machine's timers; after a step of more than a year, operations fail
   * with `misconfigured` until the clock has run steadily for five minutes.
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

/** Steps of a clock in relation to the machine's timers, in milliseconds: the largest believed. */
const MAX_STEP_MS = 366 * 24 * 60 * 60 * 1000;
/** Time stands still for a smaller step back of the machine's clock. */
const MAX_STANDSTILL_MS = 1000;
/** A larger step is believed once the clock has run steadily for so long. */
const STEADY_MS = 5 * 60_000;

const clockError = (message: string, cause?: unknown) =>
  err(misconfigured(`clock ${message}`, cause));

const clockRule = 'must return milliseconds since the epoch, from 1970 to 9999';
const unusable = clockError(clockRule);
const stepped = clockError(
  'is more than a year ahead: this is believed after five minutes, or immediately if the clock has `after`',
);

/**
 * A reading of a clock, and the reading of the machine's timers at the same moment, in
 * milliseconds.
 */
interface Reading {
  readonly at: number;
  readonly elapsed: number;
}

/** How far a clock has stepped between two readings; below 0 if it was set back. */
const stepOf = (from: Reading, to: Reading): number =>
  to.at - from.at - (to.elapsed - from.elapsed);

class MonotonicClock {
  readonly #clock: Clock;
  readonly #elapsedMs: () => number;
  readonly #isMachine: boolean;
  #time: Reading | undefined;
  /** The first reading after a step that is not believed yet. */
  #doubted: Reading | undefined;

  constructor(clock: Clock, elapsedMs: () => number, isMachine: boolean) {
    this.#clock = clock;
    this.#elapsedMs = elapsedMs;
    this.#isMachine = isMachine;
  }

  now(): Result<number, Misconfigured> {
    try {
      const reading = { at: Math.floor(this.#clock.now()), elapsed: this.#elapsedMs() };
      if (!(reading.at >= 0 && reading.at <= LATEST)) return unusable;
      const found = this.#time === undefined ? reading : this.#next(this.#time, reading);
      if (found === undefined) return stepped;
      this.#time = found;
      return new Ok(Math.floor(found.at));
    } catch (cause) {
      return clockError(clockRule, cause);
    }
  }

  /** The time after a reading; undefined for a step ahead of an injected clock. */
  #next(from: Reading, reading: Reading): Reading | undefined {
    const { at, elapsed } = reading;
    if (this.#isBelieved(from, reading)) {
      this.#doubted = undefined;
      return { at: Math.max(at, from.at), elapsed };
    }
    if (this.#isSteady(reading)) {
      this.#doubted = undefined;
      return reading;
    }
    if (this.#isMachine) return { at: from.at + elapsed - from.elapsed, elapsed };
    return at > from.at ? undefined : from;
  }

  #isBelieved(from: Reading, reading: Reading): boolean {
    const step = stepOf(from, reading);
    const maxBackMs = this.#isMachine ? MAX_STANDSTILL_MS : MAX_STEP_MS;
    return this.#clock.after !== undefined || (step <= MAX_STEP_MS && step >= -maxBackMs);
  }

  #isSteady(reading: Reading): boolean {
    const from = this.#doubted;
    const isSame = from && Math.abs(stepOf(from, reading)) <= MAX_STANDSTILL_MS;
    const began = from !== undefined && isSame ? from : reading;
    this.#doubted = began;
    return reading.elapsed - began.elapsed >= STEADY_MS;
  }
}

/**
 * A clock for this process that does not run backwards while the host's clock is set back. The
 * machine's own clock then continues by elapsed time, until the host's clock has caught up or has
 * run steadily for five minutes: calls keep their durations, and limits are on time. The same holds
 * for a step ahead of more than a year, because a false time would end sessions.
 *
 * An injected clock repeats its latest time instead, and a step ahead of more than a year is an
 * error. One with its own `after` may step ahead by any amount.
 */
export const monotonic = (
  clock: Clock,
  elapsedMs: () => number = () => performance.now(),
  isMachine = clock === systemClock,
): (() => Result<number, Misconfigured>) => {
  const steady = new MonotonicClock(clock, elapsedMs, isMachine);
  return () => steady.now();
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

/** The dates of the latest days, each at the remainder of its number. */
const dates: { readonly day: number; readonly text: string }[] = [];
const DATES = 16;

const dateOf = (day: number): string => {
  const at = day & (DATES - 1);
  const known = dates[at];
  if (known?.day === day) return known.text;
  const text = new Date(day * DAY_MS).toISOString().split('T')[0] ?? '';
  dates[at] = { day, text };
  return text;
};

/**
 * RFC 3339 in UTC with milliseconds, for example `2026-01-31T18:00:02.000Z`: the format of all
 * times in the public API. Caches dates, because a page has hundreds of times, mostly of a few
 * days: `toISOString` would take four times as long.
 */
export const timestampOf = (ms: number): string => {
  const day = Math.floor(ms / DAY_MS);
  const rest = ms - day * DAY_MS;
  const [hours, minutes] = [Math.floor(rest / 3_600_000), Math.floor(rest / 60_000) % 60];
  return `${dateOf(day)}T${two[hours]}:${two[minutes]}:${two[Math.floor(rest / 1000) % 60]}.${three[Math.floor(rest % 1000)]}Z`;
};
