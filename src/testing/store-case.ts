import type { SessionKey } from '../session/session-key.js';
import type { SessionStore } from '../store/session-store.js';

/** One case of the contract. Cases that speak the port are `StoreCase<SessionStore>`. */
export interface StoreCase<S = SessionStore> {
  readonly name: string;
  /**
   * Rejects if the case fails. `store` is empty, and only this case uses it. `second` is another
   * store over the same data, or `store` itself. `timeoutMs` is the maximum wait for effects
   * without a call, such as notifications.
   */
  run(store: S, second: S, timeoutMs: number): Promise<void>;
}

export type PortCase = StoreCase<SessionStore>;

/** A part of a stored session that can be damaged separately; `inbox` is all messages that wait. */
export type StoredPart = 'state' | 'head' | 'history' | 'inbox';

/** Makes a stored part of a session unreadable, without a call of the store. */
export type Corrupt<S extends SessionStore> = (
  store: S,
  key: SessionKey,
  part: StoredPart,
) => Promise<void>;
