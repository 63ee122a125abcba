import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';

/** Pending timers of this worker, each with the place where it was started. */
const waiting = new Map<unknown, Error>();

const add = (timer: unknown) => waiting.set(timer, new Error('a timer'));

const forgets = <T extends (...args: never[]) => unknown>(clear: T): T =>
  new Proxy(clear, {
    apply: (target, self, args: unknown[]) => {
      waiting.delete(args[0]);
      return Reflect.apply(target, self, args);
    },
  });

globalThis.setTimeout = new Proxy(globalThis.setTimeout, {
  apply: (target, self, [callback, ...rest]) => {
    const timer: unknown = Reflect.apply(target, self, [
      (...args: unknown[]) => {
        waiting.delete(timer);
        Reflect.apply(callback, undefined, args);
      },
      ...rest,
    ]);
    add(timer);
    return timer;
  },
});
globalThis.setInterval = new Proxy(globalThis.setInterval, {
  apply: (target, self, args: unknown[]) => {
    const timer: unknown = Reflect.apply(target, self, args);
    add(timer);
    return timer;
  },
});
globalThis.clearTimeout = forgets(globalThis.clearTimeout);
globalThis.clearInterval = forgets(globalThis.clearInterval);
promises.setTimeout = new Proxy(promises.setTimeout, {
  apply: (target, self, args: unknown[]) => {
    const timer: Promise<unknown> = Reflect.apply(target, self, args);
    add(timer);
    const end = () => void waiting.delete(timer);
    timer.then(end, end);
    return timer;
  },
});
syncBuiltinESMExports();

const starterOf = ({ stack = '' }: Error): string =>
  stack.split('\n').find((line, index) => index > 0 && !line.includes('waiting-timers')) ?? stack;

/**
 * The places where our own code started pending timers. Timers of libraries, for example of
 * connection pools, are excluded.
 */
export const waitingTimers = (): ReadonlyMap<unknown, string> =>
  new Map(
    [...waiting]
      .map(([timer, error]) => [timer, starterOf(error).trim()] as const)
      .filter(([, starter]) => !/node_modules|node:/.test(starter)),
  );
