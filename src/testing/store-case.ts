import type { SessionKey, SessionStore } from '../store.js';

/** One case of the contract. It gets a store that is empty and all its own. */
export interface StoreCase {
  readonly name: string;
  run(store: SessionStore): Promise<void>;
}

/** A part of a stored session that can be damaged by itself. */
export type StoredPart = 'state' | 'head' | 'history';

/** Makes a part of what is stored under `key` unreadable, behind the store's back. */
export type Corrupt<S extends SessionStore> = (store: S, key: SessionKey, part: StoredPart) => Promise<void>;
