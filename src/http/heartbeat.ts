import { Pause } from '../events/pause.js';

/** Nothing has arrived for a while. */
export const heartbeat = Symbol('heartbeat');

type Answer<T> = { readonly next: IteratorResult<T, unknown> } | { readonly cause: unknown };

/**
 * What an iterator gives, with a heartbeat between for every `ms` in which it gives nothing. Aborting the signal gives a
 * heartbeat at once, even where the iterator does not hear of it. Nothing is kept of what was given.
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

  /** One listener a promise: to race it anew at every heartbeat would leave one behind each time. */
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

/** Lets go of an iterator, whatever it makes of that: nobody waits for it. */
export const leave = (iterator: AsyncIterator<unknown, unknown>): void => {
  const left = async () => iterator.return?.();
  left().catch(() => undefined);
};
