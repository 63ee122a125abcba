/** What stands in place of an answer that did not come in time. */
export const late = Symbol('late');

/** An answer of the host's, or `late` after `ms`: what hangs there must not hang here. */
export const within = <T>(ms: number, answer: PromiseLike<T>): Promise<T | typeof late> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, late);
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
