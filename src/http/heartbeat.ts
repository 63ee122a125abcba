import { Pause } from '../events/pause.js';

/** The item that stands for `ms` milliseconds without an item. */
export const heartbeat = Symbol('heartbeat');

type Answer<T> = { readonly next: IteratorResult<T, unknown> } | { readonly cause: unknown };

/**
 * The items of an iterator, with a heartbeat after every `ms` milliseconds without an item. Aborting the signal yields
 * a heartbeat at once, even if the iterator ignores the signal. Holds no reference to delivered items.
 */
export class Heartbeats<T> {
  readonly #iterator: AsyncIterator<T, unknown>;
  readonly #ms: number;
  readonly #pause = new Pause();
  #isAsked = false;
  #answer: Answer<T> | undefined;

  constructor(iterator: AsyncIterator<T, unknown>, ms: number, signal: AbortSignal) {
    this.#iterator = iterator;
    this.#ms = ms;
    signal.addEventListener('abort', () => this.#pause.end(), { once: true });
  }

  async next(): Promise<IteratorResult<T, unknown> | typeof heartbeat> {
    if (!this.#isAsked) this.#ask();
    if (this.#answer === undefined) await this.#pause.wait(this.#ms);
    const answer = this.#answer;
    if (answer === undefined) return heartbeat;
    this.#answer = undefined;
    this.#isAsked = false;
    if ('cause' in answer) throw answer.cause;
    return answer.next;
  }

  /** Adds one listener per promise. `Promise.race` for every heartbeat would leave a listener behind each time. */
  #ask(): void {
    this.#isAsked = true;
    const answered = (answer: Answer<T>): void => {
      this.#answer = answer;
      this.#pause.end();
    };
    this.#iterator.next().then(
      (next) => answered({ next }),
      (cause: unknown) => answered({ cause }),
    );
  }
}

/** Ends an iterator without waiting for it. Errors are ignored. */
export const leave = (iterator: AsyncIterator<unknown, unknown>): void => {
  const left = async () => iterator.return?.();
  left().catch(() => undefined);
};
