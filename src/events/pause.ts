/** Of `setTimeout`, in milliseconds. What is due later is looked at again when something happens. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** What one waits in until another wakes it, or until a time has passed. */
export class Pause {
  #end: () => void = () => undefined;

  end(): void {
    this.#end();
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms <= LONGEST_TIMER ? setTimeout(() => this.#end(), Math.max(0, ms)) : undefined;
      this.#end = () => {
        clearTimeout(timer);
        this.#end = () => undefined;
        resolve();
      };
    });
  }
}
