import { err, ok, type Result } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import { refusalOf } from '../sql/schema-version.js';
import { type MigrateOptions, SETTINGS, valuesOf, wantedOf } from '../sql/sql-deployment.js';
import type { Connection } from './connection.js';
import { tables } from './tables.js';

/** Each step upgrades the tables from the previous version to the next. */
const steps = [tables];

/** The earliest version whose processes can use the tables after all steps. An incompatible step raises it. */
const USABLE_FROM = 1;

const META = `
  CREATE TABLE IF NOT EXISTS colloquy_meta (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
  ) WITHOUT ROWID`;

const makeTables = (connection: Connection, reconfigure: boolean): Result<void, StoreUnavailable | Misconfigured> =>
  connection.migrate((asked, stored) => {
    connection.exec(META);
    const metaOf = (name: string) => connection.get('SELECT value FROM colloquy_meta WHERE name = ?', name)?.['value'];
    const version = Number(metaOf('version') ?? 0);
    const refusal = refusalOf({ version, usableFrom: Number(metaOf('usable_from') ?? version) }, steps.length);
    if (refusal !== undefined) return err(refusal);
    for (const step of steps.slice(version)) connection.exec(step);
    if (version < steps.length) {
      const write = "INSERT OR REPLACE INTO colloquy_meta VALUES ('version', ?), ('usable_from', ?)";
      connection.run(write, steps.length, USABLE_FROM);
    }
    if (version > 0 && !reconfigure) return ok();
    const wanted = wantedOf(asked, stored());
    for (const [at, value] of valuesOf(wanted).entries()) {
      connection.run('INSERT OR REPLACE INTO colloquy_meta VALUES (?, ?)', SETTINGS[at] ?? '', value);
    }
    return ok();
  });

/** The result of `migrate`. */
export interface SqliteMigration {
  /** Why the database has no write-ahead log. Without one, readers and the writer of a file wait for each other. */
  readonly withoutWal?: string;
}

/** A failure is not an error: a store without a write-ahead log works, and the next start requests it again. */
const useWal = (connection: Connection): SqliteMigration => {
  const mode = connection.useWal();
  if (mode.isErr()) return { withoutWal: mode.error.message };
  if (mode.value === 'wal') return {};
  if (mode.value === 'memory') return { withoutWal: 'the database is in memory' };
  return { withoutWal: `SQLite keeps journal_mode = ${mode.value} for this file` };
};

/**
 * Makes the tables, or upgrades those of an earlier version, in one transaction. If several processes call it, one of
 * them makes the tables. The journal mode is set after it, because it cannot change within a transaction.
 */
export const migrate = (
  connection: Connection,
  { reconfigure = false }: MigrateOptions,
): Result<SqliteMigration, StoreUnavailable | Misconfigured> =>
  makeTables(connection, reconfigure).map(() => useWal(connection));
