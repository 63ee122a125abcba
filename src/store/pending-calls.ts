import { inLaterTurn } from '../session/in-later-turn.js';

/** Counts the calls that have begun and have no answer yet. */
export class PendingCalls {
  #count = 0;
  readonly #onIdle: (() => void)[] = [];

  track<T>(call: Promise<T>): Promise<T> {
    this.begin();
    const end = (): void => this.end();
    call.then(end, end);
    return call;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /**
   * Settles when no call is under way. A caller that makes several calls makes the next one within
   * the turn of the event loop in which the last one was answered.
   */
  async drain(): Promise<void> {
    do {
      if (this.#count > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
      await new Promise<void>(inLaterTurn);
    } while (this.#count > 0);
  }
}
