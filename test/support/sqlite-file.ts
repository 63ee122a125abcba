import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { PATIENT_MS } from './patience.js';

/** An empty folder with the path of a database in it. */
export const sqliteFile = () => {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-sqlite-'));
  return { file: join(folder, 'sessions.db'), remove: () => rmSync(folder, { recursive: true, force: true }) };
};

/** A connection as a host should configure it, that waits for other processes as long as it takes. */
export const openLibsql = (file: string) => {
  const database = new Database(file);
  database.exec(`PRAGMA busy_timeout = ${PATIENT_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`);
  return database;
};

/** An empty store in memory. */
export const sqliteInMemory = (): SqliteSessionStore => {
  const store = new SqliteSessionStore({ database: openLibsql(':memory:'), events: true });
  store.migrate()._unsafeUnwrap();
  return store;
};
