/** Stands for an answer that did not come in time. */
export const timedOut = Symbol('timed out');

/** An answer of the host's, or `timedOut` after `ms`: what hangs there must not hang here. */
export const withTimeout = <T>(ms: number, answer: PromiseLike<T>): Promise<T | typeof timedOut> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, timedOut);
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (cause) => {
        clearTimeout(timer);
        reject(cause);
      },
    );
  });
