import { err, ok } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import { misconfigured } from '../../src/session/errors.js';
import { type Migration, migrationOf, type SchemaVersion } from '../sql/schema-version.js';
import {
  deploymentIn,
  type MigrateOptions,
  SETTINGS,
  type SqlDeployment,
  valuesOf,
  wantedOf,
} from '../sql/sql-deployment.js';
import { type Answer, rowsOf } from './call.js';
import type { Connection } from './connection.js';
import { failureOf } from './failure.js';
import type { PostgresClient, PostgresSettings } from './postgres-session-store-options.js';
import { version1 } from './schema.js';

/** Each step upgrades the tables from the previous version to the next. */
const steps = [version1];

/**
 * The earliest version whose processes can use the tables after all steps. An incompatible step
 * raises it.
 */
const USABLE_FROM = 1;

/** Key of the advisory lock that all migrations of a database take. */
const LOCK = 1_131_376_749;

/** Replaces `$` before a name with the quoted schema and a dot. */
const inSchema = (schema: string, sql: string): string =>
  sql.replace(/\$(?=[a-z_]+\b(?!\$))/g, `"${schema}".`);

const firstRow = (result: unknown): Fields | undefined => rowsOf(result)[0];

/* Reads the catalogs directly, because to_regclass may return the state from before the wait for the lock. */
const FIND_SCHEMA = 'SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1';
const FIND_META = `SELECT oid FROM pg_catalog.pg_class WHERE relname = 'meta' AND relnamespace = (${FIND_SCHEMA})`;

const versionIn = async (client: PostgresClient, schema: string): Promise<SchemaVersion> => {
  if (firstRow(await client.query(FIND_META, [schema])) === undefined)
    return { version: 0, usableFrom: 0 };
  const sql = `SELECT max(value) FILTER (WHERE name = 'version') AS version,
    max(value) FILTER (WHERE name = 'usable_from') AS usable_from FROM $meta`;
  const row = firstRow(await client.query(inSchema(schema, sql)));
  const version = Number(row?.['version'] ?? 0);
  return { version, usableFrom: Number(row?.['usable_from'] ?? version) };
};

const OVERWRITE = 'ON CONFLICT (name) DO UPDATE SET value = excluded.value';

const deploymentOf = async (client: PostgresClient, schema: string): Promise<SqlDeployment> =>
  deploymentIn(rowsOf(await client.query(inSchema(schema, 'SELECT name, value FROM $meta'))));

/** Stores the settings of this process. */
const configure = async (client: PostgresClient, settings: PostgresSettings): Promise<void> => {
  const { schema } = settings;
  const wanted = wantedOf(settings, await deploymentOf(client, schema));
  const rows = valuesOf(wanted).map((value, at) => `('${SETTINGS[at]}', ${value})`);
  await client.query(inSchema(schema, `INSERT INTO $meta VALUES ${rows.join(', ')} ${OVERWRITE}`));
};

const makeTables = async (
  client: PostgresClient,
  settings: PostgresSettings,
  reconfigure: boolean,
): Promise<SchemaVersion> => {
  const { schema } = settings;
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
  const found = await versionIn(client, schema);
  // CREATE SCHEMA IF NOT EXISTS needs the right to create schemas even if the schema exists.
  if (firstRow(await client.query(FIND_SCHEMA, [schema])) === undefined)
    await client.query(`CREATE SCHEMA "${schema}"`);
  if (found.version === 0) {
    await client.query(
      inSchema(schema, 'CREATE TABLE $meta (name text PRIMARY KEY, value bigint NOT NULL)'),
    );
  }
  for (const step of steps.slice(found.version)) await client.query(inSchema(schema, step));
  const write = `INSERT INTO $meta VALUES ('version', ${steps.length}), ('usable_from', ${USABLE_FROM}) ${OVERWRITE}`;
  if (found.version < steps.length) await client.query(inSchema(schema, write));
  const isUsable = migrationOf(found, steps.length).isOk();
  if (isUsable && (found.version === 0 || reconfigure)) await configure(client, settings);
  await client.query('COMMIT');
  return found;
};

/** Makes or upgrades the tables if necessary. Returns the version that it found. */
const migrateOn = async (
  client: PostgresClient,
  settings: PostgresSettings,
  reconfigure: boolean,
): Answer<SchemaVersion> => {
  try {
    const encoding = firstRow(await client.query('SHOW server_encoding'))?.['server_encoding'];
    if (encoding !== 'UTF8') {
      return err(
        misconfigured(`the database must have the encoding UTF8, not ${String(encoding)}`),
      );
    }
    const found = await versionIn(client, settings.schema);
    const isMade = found.version >= steps.length && !reconfigure;
    return ok(isMade ? found : await makeTables(client, settings, reconfigure));
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
  const found = await migrateOn(connected.value, settings, reconfigure);
  // After an error, a closed connection undoes a transaction that is still open.
  connected.value.release(found.isErr());
  const migration = found.andThen((version) => migrationOf(version, steps.length));
  if (migration.isErr()) return err(migration.error);
  connection.forget();
  const deployment = await connection.begin().deployment();
  return deployment.map(() => migration.value);
};
