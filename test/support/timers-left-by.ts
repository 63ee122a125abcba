import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Counts the timers that a call leaves behind, without those of the rest of the worker. Call it
 * after `vi.useFakeTimers`.
 */
export const timersLeftBy = async (run: () => Promise<unknown>): Promise<number> => {
  const own = new AsyncLocalStorage<Set<unknown>>();
  const left = new Set<unknown>();
  const { setTimeout, clearTimeout } = globalThis;
  globalThis.setTimeout = new Proxy(setTimeout, {
    apply: (start, self, [callback, ...rest]) => {
      const fire = (...args: unknown[]) => {
        left.delete(timer);
        Reflect.apply(callback, undefined, args);
      };
      const timer: unknown = Reflect.apply(start, self, [fire, ...rest]);
      own.getStore()?.add(timer);
      return timer;
    },
  });
  globalThis.clearTimeout = new Proxy(clearTimeout, {
    apply: (clear, self, [timer]) => {
      left.delete(timer);
      Reflect.apply(clear, self, [timer]);
    },
  });
  try {
    await own.run(left, run);
    return left.size;
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
};
