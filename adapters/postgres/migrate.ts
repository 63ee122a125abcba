import { err } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import { misconfigured } from '../../src/session/errors.js';
import { type Migration, metaAfter, migrationOf, versionIn } from '../sql/schema-version.js';
import type { MigrateOptions } from '../sql/sql-deployment.js';
import { type Answer, rowsOf } from './call.js';
import type { Connection } from './connection.js';
import { failureOf } from './failure.js';
import type { PostgresClient, PostgresSettings } from './postgres-session-store-options.js';
import { version1 } from './schema.js';

/** Each step upgrades the tables from the previous version to the next. */
const steps = [version1];

/** The version after all steps. An incompatible step raises `usableFrom`. */
const MADE = { version: steps.length, usableFrom: 1 };

/** Key of the advisory lock that all migrations of a database take. */
const LOCK = 1_131_376_749;

/** Replaces `$` before a name with the quoted schema and a dot. */
const inSchema = (schema: string, sql: string): string =>
  sql.replace(/\$(?=[a-z_]+\b(?!\$))/g, `"${schema}".`);

const firstRow = (result: unknown): Fields | undefined => rowsOf(result)[0];

/* Reads the catalogs directly, because to_regclass may return the state from before the wait for the lock. */
const FIND_SCHEMA = 'SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1';
const FIND_META = `SELECT oid FROM pg_catalog.pg_class WHERE relname = 'meta' AND relnamespace = (${FIND_SCHEMA})`;

const MAKE_META = 'CREATE TABLE $meta (name text PRIMARY KEY, value bigint NOT NULL)';
const PUT =
  'INSERT INTO $meta VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value';

/** The rows of the table meta; none if there is no table. */
const metaRows = async (client: PostgresClient, schema: string): Promise<readonly Fields[]> => {
  if (firstRow(await client.query(FIND_META, [schema])) === undefined) return [];
  return rowsOf(await client.query(inSchema(schema, 'SELECT name, value FROM $meta')));
};

const makeTables = async (
  client: PostgresClient,
  settings: PostgresSettings,
  reconfigure: boolean,
): Answer<Migration> => {
  const { schema } = settings;
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
  const rows = await metaRows(client, schema);
  const found = versionIn(rows);
  const migration = migrationOf(found, MADE.version);
  if (migration.isErr()) return err(migration.error);
  // CREATE SCHEMA IF NOT EXISTS needs the right to create schemas even if the schema exists.
  if (firstRow(await client.query(FIND_SCHEMA, [schema])) === undefined)
    await client.query(`CREATE SCHEMA "${schema}"`);
  if (found.version === 0) await client.query(inSchema(schema, MAKE_META));
  for (const step of steps.slice(found.version)) await client.query(inSchema(schema, step));
  for (const meta of Object.entries(metaAfter(rows, MADE, settings, reconfigure)))
    await client.query(inSchema(schema, PUT), meta);
  await client.query('COMMIT');
  return migration;
};

/** Makes or upgrades the tables if necessary. */
const migrateOn = async (
  client: PostgresClient,
  settings: PostgresSettings,
  reconfigure: boolean,
): Answer<Migration> => {
  try {
    const encoding = firstRow(await client.query('SHOW server_encoding'))?.['server_encoding'];
    if (encoding !== 'UTF8') {
      return err(
        misconfigured(`the database must have the encoding UTF8, not ${String(encoding)}`),
      );
    }
    const found = versionIn(await metaRows(client, settings.schema));
    const isMade = found.version >= MADE.version && !reconfigure;
    if (isMade) return migrationOf(found, MADE.version);
    return await makeTables(client, settings, reconfigure);
  } catch (cause) {
    return err(failureOf(cause, 'unknown').error);
  }
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
  const connected = await connection.connect();
  if (connected.isErr()) return err(connected.error.error);
  const migration = await migrateOn(connected.value, settings, reconfigure);
  // After an error, a closed connection undoes a transaction that is still open.
  connected.value.release(migration.isErr());
  if (migration.isErr()) return err(migration.error);
  connection.forget();
  const deployment = await connection.begin().deployment();
  return deployment.map(() => migration.value);
};
