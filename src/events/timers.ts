import type { Result } from 'neverthrow';
import { systemClock, type Timer, timerOf } from '../session/clock.js';
import type { Misconfigured } from '../session/errors.js';

/**
 * A wait with a timeout that `end` can stop early. A long wait may end early by itself, so callers
 * check the time again.
 */
export class InterruptibleWait {
  readonly #after: Timer;
  #resolve: ((value?: undefined) => void) | undefined;
  #cancel: (() => void) | undefined;

  constructor(after: Timer = timerOf(systemClock)) {
    this.#after = after;
  }

  end(): void {
    const resolve = this.#resolve;
    this.#cancel?.();
    this.#resolve = undefined;
    this.#cancel = undefined;
    resolve?.();
  }

  wait(ms: number): Promise<undefined> {
    if (ms < Number.POSITIVE_INFINITY) this.#cancel = this.#after(ms, () => this.end());
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
}

export const TICK_MS = 1000;

export interface Ticked {
  /** `now` is the time of the service, in milliseconds since the epoch. */
  tick(now: number): void;
}

/**
 * Calls its members once a second, while it has any. A timer for each of them would wake the
 * process as often as it has members.
 */
export class Ticker {
  readonly #after: Timer;
  readonly #now: () => Result<number, Misconfigured>;
  readonly #members = new Set<Ticked>();
  #stop: (() => void) | undefined;

  constructor(after: Timer, now: () => Result<number, Misconfigured>) {
    this.#after = after;
    this.#now = now;
  }

  add(member: Ticked): void {
    this.#members.add(member);
    this.#stop ??= this.#after(TICK_MS, this.#tick);
  }

  remove(member: Ticked): void {
    this.#members.delete(member);
    if (this.#members.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  readonly #tick = (): void => {
    this.#stop = this.#after(TICK_MS, this.#tick);
    const now = this.#now();
    if (now.isErr()) return;
    for (const member of this.#members) member.tick(now.value);
  };
}
