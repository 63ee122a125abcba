import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionStore } from '../store.js';
import { bindDefault, type Loading } from './defaults.js';
import { TYPES } from './types.js';

/**
 * Where a store module puts its store. Apart from the port itself, so that the port can be bound by whichever module
 * comes first, wait for its store until somebody asks, and still be told from a store that the host has bound.
 */
const CHOSEN_STORE = Symbol.for('colloquy.ChosenStore');

/** Binds the port, unless the host has: to the store of the store module that is loaded, else to one in memory. */
export const bindStorePort = (loading: Loading): void =>
  bindDefault<SessionStore>(loading, TYPES.SessionStore, (binding) =>
    binding
      .toResolvedValue(
        (chosen: SessionStore | undefined) => chosen ?? new MemorySessionStore(),
        [{ serviceIdentifier: CHOSEN_STORE, optional: true }],
      )
      .inSingletonScope(),
  );

/** Makes this the store of the container. A second one is ambiguous, and inversify says so when a store is asked for. */
export const chooseStore = (loading: Loading, makeStore: () => SessionStore): void => {
  loading.bind<SessionStore>(CHOSEN_STORE).toResolvedValue(makeStore).inSingletonScope();
  bindStorePort(loading);
};
