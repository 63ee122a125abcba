import type { Result } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import type { MigrateOptions } from '../sql/sql-deployment.js';
import { type Migration, metaAfter, migrationOf } from '../sql/sql-deployment.js';
import type { Connection } from './connection.js';
import tables from './tables.sql';

const META = `
  CREATE TABLE IF NOT EXISTS $meta (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
  ) WITHOUT ROWID`;
const PUT = 'INSERT OR REPLACE INTO $meta VALUES (?, ?)';

const makeTables = (
  connection: Connection,
  reconfigure: boolean,
): Result<Migration, StoreUnavailable | Misconfigured> =>
  connection.migrate((asked) => {
    connection.exec(META);
    const rows = connection.meta();
    const migration = migrationOf(rows);
    if (migration.isErr()) return migration;
    const isNew = migration.value.from === 0;
    if (!isNew && !reconfigure) return migration;
    if (isNew) connection.exec(tables);
    const meta = metaAfter(rows, migration.value, asked);
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
