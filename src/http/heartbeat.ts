/** Nothing has arrived for a while. */
export const heartbeat = Symbol('heartbeat');

/**
 * What an iterator gives, with a heartbeat between for every `ms` in which it gives nothing. Aborting the signal ends it
 * at once, even where the iterator does not hear of it.
 */
export async function* withHeartbeats<T>(
  iterator: AsyncIterator<T>,
  ms: number,
  signal: AbortSignal,
): AsyncGenerator<T | typeof heartbeat, void> {
  let wake = (): void => undefined;
  const onAbort = (): void => wake();
  const ask = () => {
    const asked: { answer?: { readonly next: IteratorResult<T> } | { readonly cause: unknown } } = {};
    // One listener a promise: to race it anew at every heartbeat would leave one behind each time.
    iterator.next().then(
      (next) => {
        asked.answer = { next };
        wake();
      },
      (cause: unknown) => {
        asked.answer = { cause };
        wake();
      },
    );
    return asked;
  };
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  signal.addEventListener('abort', onAbort);
  try {
    for (let asked = ask(); !signal.aborted; ) {
      const { answer } = asked;
      if (answer === undefined) {
        await pause();
        if (asked.answer === undefined && !signal.aborted) yield heartbeat;
      } else if ('cause' in answer) {
        throw answer.cause;
      } else {
        if (answer.next.done) return;
        yield answer.next.value;
        asked = ask();
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    leave(iterator);
  }
}

/** Lets go of an iterator, whatever it makes of that: nobody waits for it. */
export const leave = (iterator: AsyncIterator<unknown>): void => {
  const left = async () => iterator.return?.();
  left().catch(() => undefined);
};
