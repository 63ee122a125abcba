import { timedOut, withTimeout } from '../session/with-timeout.js';
import type { SessionStore } from '../store/session-store.js';

/**
 * Waits for a value for at most `timeoutMs` milliseconds, then rejects with an error that names
 * `what`.
 */
export const answered = async <T>(
  what: string,
  timeoutMs: number,
  value: T | PromiseLike<T>,
): Promise<T> => {
  const answer = await withTimeout(timeoutMs, Promise.resolve(value));
  if (answer !== timedOut) return answer;
  throw new Error(`${what} has not answered within ${timeoutMs} ms`);
};

const isPending = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof answer === 'object' && answer !== null && 'then' in answer;

const bounded = <T extends object>(inner: T, timeoutMs: number, path: string): T =>
  // Not over `inner` itself: a proxy must return the properties of a frozen object as they are.
  new Proxy<T>(Object.create(inner), {
    get(_, name) {
      const value: unknown = Reflect.get(inner, name);
      const call = `${path}${String(name)}`;
      if (name === 'events' && typeof value === 'object' && value !== null)
        return bounded(value, timeoutMs, `${call}.`);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        const answer: unknown = Reflect.apply(value, inner, args);
        return isPending(answer) ? answered(`${call}()`, timeoutMs, answer) : answer;
      };
    },
  });

/**
 * The same store, but a call without an answer within `timeoutMs` rejects with an error that names
 * it.
 */
export const boundedStore = (store: SessionStore, timeoutMs: number): SessionStore =>
  bounded(store, timeoutMs, '');

/** A store with its resources, which a factory may return instead of a store. */
export interface OpenedStore<S extends SessionStore> {
  /** An empty store that only the case uses. */
  readonly store: S;
  /**
   * Another store object over the same data, like that of a second process. Races use both; without
   * it, they cannot show whether the store is atomic across objects. Default: `store`.
   */
  readonly second?: S | undefined;
  /**
   * Closes the resources that the factory opened. Called once, after the case has passed or failed.
   * Default: nothing is closed.
   */
  readonly close?: (() => unknown) | undefined;
}

/** Creates an empty store: a new one, or one over a part of a database that nothing else uses. */
export type MakeStore<S extends SessionStore> = () =>
  | S
  | OpenedStore<S>
  | Promise<S | OpenedStore<S>>;

const isStore = <S extends SessionStore>(made: S | OpenedStore<S>): made is S => 'begin' in made;

export const withOpenedStore = async <S extends SessionStore>(
  makeStore: MakeStore<S>,
  timeoutMs: number,
  use: (store: S, second: S) => Promise<void>,
): Promise<void> => {
  const made = await answered('makeStore()', timeoutMs, makeStore());
  const { store, second = store, close }: OpenedStore<S> = isStore(made) ? { store: made } : made;
  const closing = async () => answered('close()', timeoutMs, close?.());
  try {
    await use(store, second);
  } catch (error) {
    // An error of `close` must not hide the error of the case.
    await closing().catch(() => undefined);
    throw error;
  }
  await closing();
};
