import type { SessionStore } from '../store/session-store.js';
import type { Given, Options } from './options.js';

/** A store that is open until it is closed. */
export interface OpenStore {
  readonly store: SessionStore;
  /** Where the sessions are, as text without a password. */
  readonly storeName: string;
  /** Whether the store can list by status. */
  readonly listsByStatus: boolean;
  /** Whether other processes may use the same sessions. */
  readonly isShared: boolean;
  close(): void;
}

/** What a command does with the store. */
export interface Use {
  /** Needs events. Otherwise it records them where the database has them on. */
  readonly events?: boolean;
  /** Creates and changes nothing, not even a missing database. */
  readonly isReadOnly?: boolean;
}

/** A database that an option names. */
export interface Database {
  /** Its part of a help text, which declares its options. */
  readonly help: string;
  open(given: Given, use: Use, options: Options): Promise<OpenStore>;
}
