/**
 * Absent in some browsers: compilers that translate `await using` for these look for the second
 * one.
 */
const symbolInUse = (): symbol => Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

function define<T extends object>(
  target: T,
  dispose: () => Promise<void>,
): asserts target is T & AsyncDisposable {
  Object.defineProperty(target, symbolInUse(), {
    value: dispose,
    configurable: true,
    writable: true,
  });
}

/**
 * Adds a method to `target` with which `await using` calls `dispose`. The method is not enumerable,
 * so it appears in no copy, JSON or comparison.
 */
export const disposable = <T extends object>(
  target: T,
  dispose: () => Promise<void>,
): T & AsyncDisposable => {
  define(target, dispose);
  return target;
};
