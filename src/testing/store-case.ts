import type { SessionKey, SessionStore } from '../store.js';

/** One case of the contract. */
export interface StoreCase {
  readonly name: string;
  /**
   * Fails by rejecting. `store` is empty and used by nobody else; `second` looks at the same data, and is `store` itself
   * where there is no other.
   */
  run(store: SessionStore, second: SessionStore): Promise<void>;
}

/** A part of a stored session that can be damaged by itself. */
export type StoredPart = 'state' | 'head' | 'history';

/** Makes a part of what is stored under `key` unreadable, behind the store's back. */
export type Corrupt<S extends SessionStore> = (store: S, key: SessionKey, part: StoredPart) => Promise<void>;

/**
 * Runs `change`, which calls the store, in such a way that the store makes the change but its event is lost: as if the
 * process had ended between the two. The calls of `change` may answer with an error.
 */
export type LoseEvents<S extends SessionStore> = (store: S, change: () => Promise<void>) => Promise<void>;
