/**
 * Listeners for the end of a response. Separate from the request, which may hold the stream of the response: the finalizer of
 * that stream must not hold it.
 */
export class CloseListeners {
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
