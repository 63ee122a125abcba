import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { PATIENT_MS } from './patience.js';

/** Creates an empty folder, and returns the path of a database in it. */
export const sqliteFile = () => {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-sqlite-'));
  return {
    file: join(folder, 'sessions.db'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};

/** The recommended settings, but with a busy timeout for slow machines. */
export const settings = `PRAGMA busy_timeout = ${PATIENT_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`;

export const openLibsql = (file: string, pragmas = settings) => {
  const database = new Database(file);
  database.exec(pragmas);
  return database;
};

/** An empty store in memory. */
export const sqliteInMemory = async (): Promise<SqliteSessionStore> => {
  const store = new SqliteSessionStore({ database: openLibsql(':memory:'), events: true });
  (await store.migrate())._unsafeUnwrap();
  return store;
};
