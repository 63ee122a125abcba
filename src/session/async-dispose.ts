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
 * `target`, for which `await using` calls `dispose` at the end of the block. The method is not
 * enumerable, so copies, JSON and comparisons are those of the object without it.
 */
export const disposable = <T extends object>(
  target: T,
  dispose: () => Promise<void>,
): T & AsyncDisposable => {
  define(target, dispose);
  return target;
};
