import type { WatchSignal } from '../events/session-event.js';

/** Where the client takes time and chance from. A port, so that tests never sleep. */
export interface ClientTiming {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** From 0 to 1, without 1. */
  random(): number;
  /** Calls back once after so many milliseconds. Gives what takes that back. */
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

/** What stands in place of an answer that did not come in time. */
export const late = Symbol('late');

/** What stands in place of an answer that nobody waits for any more. */
export const left = Symbol('left');

/** What bounds a piece of work. */
export interface Bounds {
  readonly timing: ClientTiming;
  readonly ms: number;
  readonly signal: WatchSignal | undefined;
}

/** Waits for work until the time is up or the signal is aborted, whether or not the work itself hears of it. */
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

/** Waits so long, or until the signal is aborted. */
export const pause = (bounds: Bounds): Promise<unknown> => bounded(bounds, () => new Promise<never>(() => undefined));
