import type { SessionStore } from '../store/session-store.js';
import type { Given, Options } from './options.js';

export interface OpenStore {
  readonly store: SessionStore;
  /** Where the sessions are, as text without a password. */
  readonly storeName: string;
  /** Whether other processes may use the same sessions. */
  readonly isShared: boolean;
  close(): void;
}

export interface Use {
  /** Whether events must be recorded. Otherwise they are recorded if the database has them on. */
  readonly events?: boolean;
  /** Whether nothing may be created or changed, not even a missing database. */
  readonly isReadOnly?: boolean;
}

/** A kind of database, which an option names. */
export interface Database {
  readonly help: string;
  open(given: Given, use: Use, options: Options): Promise<OpenStore>;
}
