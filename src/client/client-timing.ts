import type { WatchSignal } from '../events/session-event.js';

/** The clock, randomness and timers of the client. Replace them in tests, so that no test sleeps. */
export interface ClientTiming {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** From 0 inclusive to 1 exclusive. */
  random(): number;
  /** Calls the callback once after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
}

export const systemTiming: ClientTiming = {
  now: () => Date.now(),
  random: () => Math.random(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** The result of a timeout. */
export const late = Symbol('late');

/** The result of an abort. */
export const left = Symbol('left');

/** Limits of an asynchronous task. */
export interface Bounds {
  readonly timing: ClientTiming;
  readonly ms: number;
  readonly signal: WatchSignal | undefined;
}

/** Waits for a task until the timeout or the abort, even if the task ignores both. */
export const bounded = <T>({ timing, ms, signal }: Bounds, work: () => PromiseLike<T>) =>
  new Promise<T | typeof late | typeof left>((resolve, reject) => {
    if (signal?.aborted) {
      resolve(left);
      return;
    }
    const cancel = timing.after(ms, () => settle(() => resolve(late)));
    const onAbort = (): void => settle(() => resolve(left));
    const settle = (end: () => void): void => {
      cancel();
      signal?.removeEventListener('abort', onAbort);
      end();
    };
    signal?.addEventListener('abort', onAbort);
    work().then(
      (value) => settle(() => resolve(value)),
      (cause: unknown) => settle(() => reject(cause)),
    );
  });

/** Waits `ms` milliseconds, or until the signal is aborted. */
export const pause = (bounds: Bounds): Promise<unknown> => bounded(bounds, () => new Promise<never>(() => undefined));
