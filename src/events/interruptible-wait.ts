import { systemClock, type Timer, timerOf } from '../session/clock.js';

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
