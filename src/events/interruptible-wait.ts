import { systemClock, type Timer, timerOf } from '../session/clock.js';

/**
 * A wait with a timeout that `end` can stop early. A long wait may end early by itself, so callers check the time
 * again.
 */
export class InterruptibleWait {
  readonly #after: Timer;
  #end: () => void = () => undefined;

  constructor(after: Timer = timerOf(systemClock)) {
    this.#after = after;
  }

  end(): void {
    this.#end();
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = ms === Number.POSITIVE_INFINITY ? undefined : this.#after(ms, () => this.#end());
      this.#end = () => {
        cancel?.();
        this.#end = () => undefined;
        resolve();
      };
    });
  }
}
