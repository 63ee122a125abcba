import { inLaterTurn } from '../session/in-later-turn.js';

/** Counts the calls of a store that have begun and have no answer yet. */
export class UnderWay {
  #count = 0;
  readonly #onIdle: (() => void)[] = [];

  /** Counts a call until it settles. */
  track<T>(call: Promise<T>): Promise<T> {
    this.#count += 1;
    const settled = (): void => {
      this.#count -= 1;
      if (this.#count > 0) return;
      for (const resolve of this.#onIdle.splice(0)) resolve();
    };
    call.then(settled, settled);
    return call;
  }

  /**
   * Settles when no call is under way. An operation of several calls makes the next one within the
   * turn of the event loop in which the last one was answered.
   */
  async drain(): Promise<void> {
    do {
      if (this.#count > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
      await new Promise<void>(inLaterTurn);
    } while (this.#count > 0);
  }
}
