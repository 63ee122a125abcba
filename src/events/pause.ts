/** Maximum milliseconds of a `setTimeout`. Callers with a longer wait check again after it. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A wait with a timeout that `end` can stop early. */
export class Pause {
  #end: () => void = () => undefined;

  end(): void {
    this.#end();
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wait = Math.min(Math.max(0, ms), MAX_TIMER_MS);
      const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(() => this.#end(), wait);
      this.#end = () => {
        clearTimeout(timer);
        this.#end = () => undefined;
        resolve();
      };
    });
  }
}
