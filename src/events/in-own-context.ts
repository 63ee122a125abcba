const waiting: (() => void)[] = [];
let wake = (): void => undefined;

/** An async function goes on in the context in which it was called, whoever wakes it. */
const serve = async (): Promise<never> => {
  for (;;) {
    const next = waiting.shift();
    if (next !== undefined) next();
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
};

void serve();

/**
 * Runs work that several callers share in the async context in which this module was loaded, such
 * as that of no `AsyncLocalStorage`. In the context of its first caller, what a store's client or
 * its instrumentation reads there would be that of one user, for the work of all.
 */
export const inOwnContext = <T>(run: () => T | Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    waiting.push(() => {
      try {
        resolve(run());
      } catch (cause) {
        reject(cause);
      }
    });
    wake();
  });
