/**
 * Who wants to know when a response is over, and whether it is. Apart from the request, which may lead to all that sends
 * the response: what waits for a stream to be forgotten must not hold it.
 */
export class Closing {
  readonly #listeners: (() => void)[] = [];
  #isOver = false;

  get isWatched(): boolean {
    return this.#listeners.length > 0;
  }

  watch(listener: () => void): void {
    if (this.#isOver) listener();
    else this.#listeners.push(listener);
  }

  readonly close = (): void => {
    this.#isOver = true;
    for (const listener of this.#listeners.splice(0)) listener();
  };
}
