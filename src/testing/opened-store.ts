import type { SessionStore } from '../store/session-store.js';
import { answered } from './bounded-store.js';

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

/** Makes a store, runs `use` with it, and closes it. */
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
