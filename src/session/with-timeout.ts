export const timedOut = Symbol('timed out');

/** Waits for a promise for at most `ms` milliseconds. After that, the result is `timedOut`. */
export const withTimeout = <T>(ms: number, answer: PromiseLike<T>): Promise<T | typeof timedOut> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, timedOut);
    const settle =
      <V>(done: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer);
        done(value);
      };
    Promise.resolve(answer).then(settle(resolve), settle(reject));
  });
