import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import type { SessionStore } from '../../../src/index.js';
import { openLibsql } from '../../support/sqlite-file.js';

/** Where a database is, so that another process can open it too. */
export interface Database {
  readonly kind: 'sqlite';
  readonly file: string;
  /** How long a call waits for a lock. */
  readonly busyTimeoutMs?: number;
  readonly synchronous?: 'NORMAL' | 'FULL';
}

/** A store as a host opens it, with events that are never trimmed. */
export const openDatabase = (database: Database): { readonly store: SessionStore; readonly close: () => unknown } => {
  const connection = openLibsql(database.file);
  connection.exec(`PRAGMA busy_timeout = ${database.busyTimeoutMs ?? 5000}`);
  connection.exec(`PRAGMA synchronous = ${database.synchronous ?? 'NORMAL'}`);
  const store = new SqliteSessionStore({ database: connection, events: { length: 10_000_000 } });
  return { store, close: () => connection.close() };
};
