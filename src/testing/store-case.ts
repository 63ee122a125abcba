import type { SessionKey } from '../session/session-key.js';
import type { SessionStore } from '../store/session-store.js';

/**
 * Cases of the contract by name. A case rejects if it fails. `store` is empty, and only this case
 * uses it. `second` is another store over the same data, or `store` itself. `timeoutMs` is the
 * maximum wait for effects without a call, such as notifications.
 */
export type Cases = Readonly<
  Record<string, (store: SessionStore, second: SessionStore, timeoutMs: number) => Promise<void>>
>;

/** A part of a session that can be damaged separately. `inbox` means all waiting messages. */
export type StoredPart = 'state' | 'head' | 'history' | 'inbox';

/** Makes a stored part of a session unreadable, without a call of the store. */
export type Corrupt<S extends SessionStore> = (
  store: S,
  key: SessionKey,
  part: StoredPart,
) => Promise<void>;
