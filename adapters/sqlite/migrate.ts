import { err, type Result } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import { type Migration, metaAfter, migrationOf, versionIn } from '../sql/schema-version.js';
import type { MigrateOptions } from '../sql/sql-deployment.js';
import type { Connection } from './connection.js';
import tables from './tables.sql';

/** Each step upgrades the tables from the previous version to the next. */
const steps = [tables];

/** The version after all steps. An incompatible step raises `usableFrom`. */
const MADE = { version: steps.length, usableFrom: 1 };

const META = `
  CREATE TABLE IF NOT EXISTS colloquy_meta (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
  ) WITHOUT ROWID`;
const PUT = 'INSERT OR REPLACE INTO colloquy_meta VALUES (?, ?)';

const makeTables = (
  connection: Connection,
  reconfigure: boolean,
): Result<Migration, StoreUnavailable | Misconfigured> =>
  connection.migrate((asked) => {
    connection.exec(META);
    const rows = connection.meta();
    const found = versionIn(rows);
    const migration = migrationOf(found, MADE.version);
    if (migration.isErr()) return err(migration.error);
    for (const step of steps.slice(found.version)) connection.exec(step);
    const meta = metaAfter(rows, MADE, asked, reconfigure);
    for (const [name, value] of Object.entries(meta)) connection.run(PUT, name, value);
    return migration;
  });

/**
 * A failure is not an error: a store without a write-ahead log works, and the next start requests
 * it again.
 */
const useWal = (connection: Connection): Pick<Migration, 'withoutWal'> => {
  const mode = connection.useWal();
  if (mode.isErr()) return { withoutWal: mode.error.message };
  if (mode.value === 'wal') return {};
  if (mode.value === 'memory') return { withoutWal: 'the database is in memory' };
  return { withoutWal: `SQLite keeps journal_mode = ${mode.value} for this file` };
};

/**
 * Makes the tables, or upgrades those of an earlier version, in one transaction. If several
 * processes call it, one of them makes the tables. The journal mode is set after it, because it
 * cannot change within a transaction.
 */
export const migrate = async (
  connection: Connection,
  { reconfigure = false }: MigrateOptions,
): Promise<Result<Migration, StoreUnavailable | Misconfigured>> =>
  makeTables(connection, reconfigure).map((migration) => ({ ...migration, ...useWal(connection) }));
