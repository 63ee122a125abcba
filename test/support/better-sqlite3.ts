import { createRequire } from 'node:module';
import type { SqliteDatabase } from '../../adapters/sqlite/index.js';

type Driver = new (file: string) => SqliteDatabase & { close(): unknown };

/** Throws if the package is missing, or was built for another Node. */
export const loadBetterSqlite3 = (): Driver => {
  const Database: Driver = createRequire(import.meta.url)(
    process.env['BETTER_SQLITE3'] ?? 'better-sqlite3',
  );
  // It loads its native part with the first connection.
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
