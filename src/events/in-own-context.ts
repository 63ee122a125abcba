const waiting: (() => void)[] = [];
let wake = (): void => undefined;

/** An async function continues in the context in which it was called, whoever wakes it. */
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
 * Runs work that several callers share in the async context in which this module was loaded,
 * usually without any `AsyncLocalStorage`. In the context of the first caller, a store's client and
 * its instrumentation would see one user's data while they do the work of all.
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
