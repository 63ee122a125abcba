import { err } from 'neverthrow';
import { misconfigured, type StoreUnavailable } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import { withPrefix } from '../sql/query.js';
import type { MigrateOptions } from '../sql/sql-deployment.js';
import { type Migration, metaAfter, migrationOf } from '../sql/sql-deployment.js';
import { type Answer, Call } from './call.js';
import type { PostgresConnection } from './clients.js';
import { type Connection, prefixOf } from './connection.js';
import { failureOf } from './failure.js';
import { moveSequences, type Run } from './move-sequences.js';
import type { PostgresSettings } from './postgres-session-store-options.js';
import begin from './sql/begin.sql';
import bound from './sql/bound.sql';
import change from './sql/change.sql';
import commit from './sql/commit.sql';
import commitAll from './sql/commit-all.sql';
import publish from './sql/publish.sql';
import remove from './sql/remove.sql';
import tables from './sql/tables.sql';
import take from './sql/take.sql';
import totals from './sql/totals.sql';

/** Each file may use the types, tables and procedures of the files before it. */
const SCHEMA = [bound, tables, totals, commit, begin, change, remove, commitAll, take, publish];

const LOCK = 1_131_376_749;

type Transaction = <T>(work: (run: Run) => Promise<T>) => Promise<T>;

/* Not to_regclass, which may return the state from before the wait for the lock. */
const FIND_SCHEMA = 'SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1';
const FIND_META = `
  SELECT oid
  FROM pg_catalog.pg_class
  WHERE relname = 'meta' AND relnamespace = (${FIND_SCHEMA})`;

const PUT =
  'INSERT INTO $meta VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value';

const metaRows = async (run: Run, schema: string): Promise<readonly Fields[]> => {
  const found = await run(FIND_META, [schema]);
  if (found.length === 0) return [];
  return run('SELECT name, value FROM $meta');
};

/** Makes the tables, unless another process was faster, and writes the settings. */
const makeTables = async (run: Run, settings: PostgresSettings): Answer<Migration> => {
  const { schema } = settings;
  await run(`SELECT pg_advisory_xact_lock(${LOCK})`);
  const rows = await metaRows(run, schema);
  const migration = migrationOf(rows);
  if (migration.isErr()) return err(migration.error);
  // CREATE SCHEMA IF NOT EXISTS needs the privilege to create schemas even if the schema exists.
  const schemas = await run(FIND_SCHEMA, [schema]);
  if (schemas.length === 0) await run(`CREATE SCHEMA "${schema}"`);
  if (migration.value.from === 0) await run(SCHEMA.join('\n'));
  const meta = metaAfter(rows, migration.value, settings);
  for (const row of Object.entries(meta)) await run(PUT, row);
  return migration;
};

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

/** `doubt` is the outcome if it is not known whether the work was committed. */
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

const migrateTables = async (connection: Connection, reconfigure: boolean): Answer<Migration> => {
  const { settings } = connection;
  const connected = await connection.connect();
  if (connected.isErr()) return err(connected.error.error);
  const lent = connected.value;
  const found = await resultOf(() => readMigration(runOn(lent, settings), settings), 'not_applied');
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
 * Makes the tables, or upgrades older tables, in one transaction. If processes race, one of them
 * makes the tables. If the tables exist, it only reads, so that a role without the privilege to
 * create tables can call it. Tables of a later version stay unchanged, and may be usable. The process
 * that makes the tables stores the settings of the deployment.
 */
export const migrate = async (
  connection: Connection,
  { reconfigure = false }: MigrateOptions,
): Answer<Migration> => {
  const migration = await migrateTables(connection, reconfigure);
  if (migration.isErr()) return err(migration.error);
  connection.forget();
  const deployment = await new Call(connection).deployment();
  return deployment.map(() => migration.value);
};
