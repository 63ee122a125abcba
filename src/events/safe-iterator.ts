import { err, ok, type Result } from 'neverthrow';
import { storeUnavailable } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import { yieldToEventLoop } from './yield-to-event-loop.js';

export const DONE: IteratorReturnResult<void> = { done: true, value: undefined };

type Item<T> = Result<T, OperationErrors['watch']>;

type Items<T> = AsyncIterator<Item<T>, void>;

/**
 * An async iterable that never throws: an error is its last item, even if the store breaks its
 * contract. It holds no reference to delivered items.
 */
export class SafeIterator<T> implements AsyncIterableIterator<Item<T>, void>, AsyncDisposable {
  /** Undefined once it was called, because a waiting iterator holds what it holds. */
  #begin: (() => Result<Items<T>, OperationErrors['watch']>) | undefined;
  #items: Items<T> | undefined;
  #isOver = false;
  /** Number of calls without an answer, and the latest of them. */
  #pending = 0;
  #last: Promise<IteratorResult<Item<T>, void>> | undefined;

  constructor(begin: () => Result<Items<T>, OperationErrors['watch']>) {
    this.#begin = begin;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Calls are queued, as in an async generator. */
  next(): Promise<IteratorResult<Item<T>, void>> {
    this.#pending += 1;
    const asked = this.#last === undefined ? this.#ask() : this.#last.then(() => this.#ask());
    this.#last = this.#pending === 0 ? undefined : asked;
    return asked;
  }

  async return(): Promise<IteratorResult<Item<T>, void>> {
    this.#isOver = true;
    try {
      await this.#items?.return?.();
    } catch {
      // The iteration is over in any case.
    }
    return DONE;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  async #ask(): Promise<IteratorResult<Item<T>, void>> {
    try {
      if (this.#isOver) return DONE;
      const begun = this.#begun();
      if (begun === undefined) return DONE;
      if (begun.isErr()) return { done: false, value: err(begun.error) };
      const next = await begun.value.next();
      this.#isOver ||= next.done === true;
      const turn = yieldToEventLoop();
      if (turn !== undefined) await turn;
      return next;
    } catch (cause) {
      this.#isOver = true;
      return {
        done: false,
        value: err(storeUnavailable('the store threw an exception', 'not_applied', cause)),
      };
    } finally {
      this.#pending -= 1;
      if (this.#pending === 0) this.#last = undefined;
    }
  }

  /** Undefined once it is over. */
  #begun(): Result<Items<T>, OperationErrors['watch']> | undefined {
    const begin = this.#begin;
    if (begin === undefined) return this.#items && ok(this.#items);
    this.#begin = undefined;
    const begun = begin();
    if (begun.isOk()) this.#items = begun.value;
    this.#isOver = begun.isErr();
    return begun;
  }
}
