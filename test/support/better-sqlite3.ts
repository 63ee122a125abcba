import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { SqliteDatabase } from '../../adapters/sqlite/index.js';

type Driver = new (file: string) => SqliteDatabase & { close(): unknown };

const load = createRequire(import.meta.url);

const NAME = process.env['BETTER_SQLITE3'] ?? 'better-sqlite3';

/** The folder of the package. */
export const betterSqlite3Folder = (): string => dirname(dirname(load.resolve(NAME)));

/** Throws if the package is missing, or was built for another Node. */
export const loadBetterSqlite3 = (): Driver => {
  const Database: Driver = load(NAME);
  // The native part is loaded by the first connection.
  new Database(':memory:').close();
  return Database;
};

export const betterSqlite3Available = (): boolean => {
  try {
    loadBetterSqlite3();
    return true;
  } catch {
    return false;
  }
};
