import { err, type Result } from 'neverthrow';
import { storeUnavailable, type WatchError } from '../session/errors.js';
import { yieldToEventLoop } from './yield-to-event-loop.js';

export const DONE: IteratorReturnResult<void> = { done: true, value: undefined };

/**
 * An async iterable that never throws: an error is its last item, even if the store breaks its contract. It holds no
 * reference to delivered items.
 */
export const safeIterator = <T>(
  begin: () => Result<AsyncIterator<Result<T, WatchError>, void>, WatchError>,
): AsyncIterableIterator<Result<T, WatchError>, void> => {
  let inner: AsyncIterator<Result<T, WatchError>, void> | undefined;
  let isOver = false;
  let busy: Promise<void> = Promise.resolve();
  const ask = async (): Promise<IteratorResult<Result<T, WatchError>, void>> => {
    if (isOver) return DONE;
    try {
      if (inner === undefined) {
        const begun = begin();
        isOver = begun.isErr();
        if (begun.isErr()) return { done: false, value: err(begun.error) };
        inner = begun.value;
      }
      const next = await inner.next();
      isOver ||= next.done === true;
      const turn = yieldToEventLoop();
      if (turn !== undefined) await turn;
      return next;
    } catch (cause) {
      isOver = true;
      const error = storeUnavailable('the store threw an exception', 'not_applied', cause);
      return { done: false, value: err(error) };
    }
  };
  const items: AsyncIterableIterator<Result<T, WatchError>, void> = {
    // Calls are queued, as in an async generator.
    next: () => {
      const asked = busy.then(ask);
      busy = asked.then(() => undefined);
      return asked;
    },
    return: async () => {
      isOver = true;
      try {
        await inner?.return?.();
      } catch {
        // The iteration is over in any case.
      }
      return DONE;
    },
    [Symbol.asyncIterator]: () => items,
  };
  return items;
};
