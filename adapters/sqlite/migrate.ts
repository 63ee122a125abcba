import { err, type Result } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import { type Migration, migrationOf } from '../sql/schema-version.js';
import { type MigrateOptions, SETTINGS, valuesOf, wantedOf } from '../sql/sql-deployment.js';
import type { Connection } from './connection.js';
import tables from './tables.sql';

/** Each step upgrades the tables from the previous version to the next. */
const steps = [tables];

/**
 * The earliest version whose processes can use the tables after all steps. An incompatible step
 * raises it.
 */
const USABLE_FROM = 1;

const META = `
  CREATE TABLE IF NOT EXISTS colloquy_meta (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
  ) WITHOUT ROWID`;

const makeTables = (
  connection: Connection,
  reconfigure: boolean,
): Result<Migration, StoreUnavailable | Misconfigured> =>
  connection.migrate((asked, stored) => {
    connection.exec(META);
    const metaOf = (name: string) =>
      connection.get('SELECT value FROM colloquy_meta WHERE name = ?', name)?.['value'];
    const version = Number(metaOf('version') ?? 0);
    const usableFrom = Number(metaOf('usable_from') ?? version);
    const migration = migrationOf({ version, usableFrom }, steps.length);
    if (migration.isErr()) return err(migration.error);
    for (const step of steps.slice(version)) connection.exec(step);
    if (version < steps.length) {
      const write =
        "INSERT OR REPLACE INTO colloquy_meta VALUES ('version', ?), ('usable_from', ?)";
      connection.run(write, steps.length, USABLE_FROM);
    }
    if (version > 0 && !reconfigure) return migration;
    const wanted = wantedOf(asked, stored());
    for (const [at, value] of valuesOf(wanted).entries()) {
      connection.run(
        'INSERT OR REPLACE INTO colloquy_meta VALUES (?, ?)',
        SETTINGS[at] ?? '',
        value,
      );
    }
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
