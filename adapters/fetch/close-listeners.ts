/**
 * Listeners for the end of a response. Separate from the request, because that may reference the
 * stream of the response, and the finalizer of the stream must not.
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
