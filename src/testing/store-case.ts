import type { SessionKey, SessionStore } from '../store/session-store.js';

/** One case of the contract. */
export interface StoreCase {
  readonly name: string;
  /**
   * Rejects if the case fails. `store` is empty, and nothing else uses it. `second` is another store over the same
   * data, or `store` itself. `timeoutMs` is how long to wait for effects that the store has by itself.
   */
  run(store: SessionStore, second: SessionStore, timeoutMs: number): Promise<void>;
}

/** A part of a stored session that can be damaged separately. */
export type StoredPart = 'state' | 'head' | 'history';

/** Makes a part of what is stored under `key` unreadable, behind the store's back. */
export type Corrupt<S extends SessionStore> = (store: S, key: SessionKey, part: StoredPart) => Promise<void>;
