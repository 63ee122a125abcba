/** The longest that `setTimeout` can wait, in milliseconds. Whoever wants to wait longer looks again then. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Waits until it is ended, or until a time has passed. */
export class Pause {
  #end: () => void = () => undefined;

  end(): void {
    this.#end();
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wait = Math.min(Math.max(0, ms), LONGEST_TIMER);
      const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(() => this.#end(), wait);
      this.#end = () => {
        clearTimeout(timer);
        this.#end = () => undefined;
        resolve();
      };
    });
  }
}
