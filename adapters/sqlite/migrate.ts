import type { Result } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import type { MigrateOptions } from '../sql/sql-deployment.js';
import { type Migration, metaAfter, migrationOf } from '../sql/sql-deployment.js';
import { failed } from './failure.js';
import type { OwnConnection } from './own-connection.js';
import tables from './tables.sql';

const META = `
  CREATE TABLE IF NOT EXISTS $meta (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
  ) WITHOUT ROWID`;
const PUT = 'INSERT OR REPLACE INTO $meta VALUES (?, ?)';

const makeTables = (
  connection: OwnConnection,
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
 * Requests a write-ahead log, which is a permanent setting of the file. A store without one works,
 * and the next start requests it again.
 */
const useWal = (connection: OwnConnection): Pick<Migration, 'withoutWal'> => {
  try {
    const mode = String(connection.get('PRAGMA journal_mode = WAL')?.['journal_mode']);
    if (mode === 'wal') return {};
    if (mode === 'memory') return { withoutWal: 'the database is in memory' };
    return { withoutWal: `SQLite keeps journal_mode = ${mode} for this file` };
  } catch (cause) {
    return { withoutWal: failed(cause, 'not_applied').message };
  }
};

/**
 * Makes the tables, or upgrades older tables, in one transaction. If processes race, one of them
 * makes the tables. The journal mode cannot change within a transaction, so it is set afterwards.
 */
export const migrate = async (
  connection: OwnConnection,
  { reconfigure = false }: MigrateOptions,
): Promise<Result<Migration, StoreUnavailable | Misconfigured>> =>
  makeTables(connection, reconfigure).map((migration) => ({ ...migration, ...useWal(connection) }));
