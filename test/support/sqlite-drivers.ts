import { createRequire } from 'node:module';
import type { SqliteDatabase } from '../../adapters/sqlite/index.js';
import { loadBetterSqlite3 } from './better-sqlite3.js';
import { type Requirement, requirements } from './requirements.js';
import { openLibsql, settings } from './sqlite-file.js';

export interface SqliteConnection extends SqliteDatabase {
  close(): unknown;
}

type Driver = new (file: string) => SqliteConnection;

/** A documented driver. `npm run runtimes` tests bun:sqlite. */
interface SqliteDriver {
  readonly name: string;
  /** Opens a file with the recommended settings, or with others. */
  readonly open: (file: string, pragmas?: string) => SqliteConnection;
  readonly needs?: Requirement;
}

const load = createRequire(import.meta.url);

const openNodeSqlite = (file: string, pragmas = settings): SqliteConnection => {
  const { DatabaseSync }: { readonly DatabaseSync: Driver } = load('node:sqlite');
  const database = new DatabaseSync(file);
  database.exec(pragmas);
  return database;
};

const openBetterSqlite3 = (file: string, pragmas = settings): SqliteConnection => {
  const database = new (loadBetterSqlite3())(file);
  database.exec(pragmas);
  return database;
};

export const sqliteDrivers: readonly SqliteDriver[] = [
  { name: 'libsql', open: openLibsql },
  { name: 'node:sqlite', open: openNodeSqlite, needs: requirements.nodeSqlite },
  { name: 'better-sqlite3', open: openBetterSqlite3, needs: requirements.betterSqlite3 },
];
