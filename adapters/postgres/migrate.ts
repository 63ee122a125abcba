import { err } from 'neverthrow';
import { misconfigured, type StoreUnavailable } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import { withPrefix } from '../sql/query.js';
import type { MigrateOptions } from '../sql/sql-deployment.js';
import { type Migration, metaAfter, migrationOf } from '../sql/sql-deployment.js';
import type { Answer } from './call.js';
import type { PostgresConnection } from './clients.js';
import { type Connection, prefixOf } from './connection.js';
import { failureOf } from './failure.js';
import { moveSequences } from './move-sequences.js';
import type { PostgresSettings } from './postgres-session-store-options.js';
import type { Value } from './prepared-statements.js';
import { schema as tables } from './schema.js';

/** Key of the advisory lock that all migrations of a database take. */
const LOCK = 1_131_376_749;

/** Runs a statement on the connection of a migration. */
type Run = (sql: string, values?: readonly Value[]) => Promise<readonly Fields[]>;

/** Runs statements in a transaction. */
type Transaction = <T>(work: (run: Run) => Promise<T>) => Promise<T>;

/*
 * Reads the catalogs directly, because to_regclass may return the state from before the wait for
 * the lock.
 */
const FIND_SCHEMA = 'SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1';
const FIND_META = `
  SELECT oid
  FROM pg_catalog.pg_class
  WHERE relname = 'meta' AND relnamespace = (${FIND_SCHEMA})`;

const PUT =
  'INSERT INTO $meta VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value';

/** The rows of the table meta; none if there is no table. */
const metaRows = async (run: Run, schema: string): Promise<readonly Fields[]> => {
  const found = await run(FIND_META, [schema]);
  if (found.length === 0) return [];
  return run('SELECT name, value FROM $meta');
};

/** Makes the tables, unless another process has made them meanwhile, and writes the settings. */
const makeTables = async (run: Run, settings: PostgresSettings): Answer<Migration> => {
  const { schema } = settings;
  await run(`SELECT pg_advisory_xact_lock(${LOCK})`);
  const rows = await metaRows(run, schema);
  const migration = migrationOf(rows);
  if (migration.isErr()) return err(migration.error);
  // CREATE SCHEMA IF NOT EXISTS needs the right to create schemas even if the schema exists.
  const schemas = await run(FIND_SCHEMA, [schema]);
  if (schemas.length === 0) await run(`CREATE SCHEMA "${schema}"`);
  if (migration.value.from === 0) await run(tables);
  const meta = metaAfter(rows, migration.value, settings);
  for (const row of Object.entries(meta)) await run(PUT, row);
  return migration;
};

/** Reads what there is, and refuses a database that the store cannot use. */
const readMigration = async (run: Run, settings: PostgresSettings): Answer<Migration> => {
  const [encoding] = await run('SHOW server_encoding');
  const name = encoding?.['server_encoding'];
  if (name !== 'UTF8') {
    return err(misconfigured(`the database must have the encoding UTF8, not ${String(name)}`));
  }
  return migrationOf(await metaRows(run, settings.schema));
};

const runOn = (connection: PostgresConnection, { schema }: PostgresSettings): Run => {
  const prefix = prefixOf(schema);
  return async (sql, values) =>
    (await connection.query({ text: withPrefix(sql, prefix), values })) ?? [];
};

/** The result of a part of a migration; `doubt` is the outcome if its end is not known. */
const resultOf = async (
  work: () => Answer<Migration>,
  doubt: StoreUnavailable['outcome'],
): Answer<Migration> => {
  try {
    return await work();
  } catch (cause) {
    return err(failureOf(cause, doubt).error);
  }
};

/** Makes the tables if necessary. */
const migrateOn = async (
  connection: Connection,
  settings: PostgresSettings,
  reconfigure: boolean,
): Answer<Migration> => {
  const connected = await connection.connect();
  if (connected.isErr()) return err(connected.error.error);
  const lent = connected.value;
  const read = () => readMigration(runOn(lent, settings), settings);
  const found = await resultOf(read, 'not_applied');
  // A pool may have no other connection for the transactions.
  lent.release(found.isErr());
  if (found.isErr()) return found;
  const transaction: Transaction = (work) =>
    connection.clients.transaction((each) => work(runOn(each, settings)));
  return resultOf(async () => {
    if (found.value.from > 0) await transaction(moveSequences);
    if (found.value.from > 0 && !reconfigure) return found;
    return transaction((run) => makeTables(run, settings));
  }, 'unknown');
};

/**
 * Makes the tables, or upgrades those of an earlier version, in one transaction. If several
 * processes call it, one of them makes the tables. If they exist, it only reads, so that a role
 * without the right to create tables can call it. Tables of a later version stay unchanged, and may
 * be usable. The process that makes the tables stores the settings of the deployment.
 */
export const migrate = async (
  connection: Connection,
  settings: PostgresSettings,
  { reconfigure = false }: MigrateOptions,
): Answer<Migration> => {
  const migration = await migrateOn(connection, settings, reconfigure);
  if (migration.isErr()) return err(migration.error);
  connection.forget();
  const deployment = await connection.begin().deployment();
  return deployment.map(() => migration.value);
};
