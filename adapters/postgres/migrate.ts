import { err, ok } from 'neverthrow';
import { misconfigured } from '../../src/errors.js';
import { type Fields, isFields } from '../../src/input/values.js';
import { refusalOf, type SchemaVersion } from '../sql/schema-version.js';
import { UNLEASED_INDEX } from '../sql/unleased-query.js';
import type { Answer } from './call.js';
import { changes } from './changes.js';
import type { Connection } from './connection.js';
import { failureOf } from './failure.js';
import type { PostgresClient } from './postgres-session-store-options.js';
import { tables } from './tables.js';

/** Each makes one version of the tables from the version before. */
const steps = [tables + changes];

/** The earliest version whose processes can use the tables after all steps. A step that they cannot bear raises it. */
const USABLE_FROM = 1;

/** Key of the advisory lock that all migrations of a database take. */
const LOCK = 1_131_376_749;

/** SQL in which `$` before a name stands for the quoted schema and a dot. */
const inSchema = (schema: string, sql: string): string => sql.replace(/\$(?=[a-z_]+\b(?!\$))/g, `"${schema}".`);

const firstRow = (result: unknown): Fields | undefined => {
  const rows: unknown = isFields(result) ? result['rows'] : undefined;
  const row: unknown = Array.isArray(rows) ? rows[0] : undefined;
  return isFields(row) ? row : undefined;
};

/* Reads the catalogs themselves: to_regclass may still answer what was so before the wait for the lock. */
const FIND_SCHEMA = 'SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1';
const FIND_META = `SELECT oid FROM pg_catalog.pg_class WHERE relname = 'meta' AND relnamespace = (${FIND_SCHEMA})`;

const versionIn = async (client: PostgresClient, schema: string): Promise<SchemaVersion> => {
  if (firstRow(await client.query(FIND_META, [schema])) === undefined) return { version: 0, usableFrom: 0 };
  const sql = `SELECT max(value) FILTER (WHERE name = 'version') AS version,
    max(value) FILTER (WHERE name = 'usable_from') AS usable_from FROM $meta`;
  const row = firstRow(await client.query(inSchema(schema, sql)));
  const version = Number(row?.['version'] ?? 0);
  return { version, usableFrom: Number(row?.['usable_from'] ?? version) };
};

const FIND_LEASE_INDEX = `SELECT oid FROM pg_catalog.pg_class WHERE relname = 'sessions_by_wait'
  AND relnamespace = (${FIND_SCHEMA})`;

const hasLeaseIndex = async (client: PostgresClient, schema: string): Promise<boolean> =>
  firstRow(await client.query(FIND_LEASE_INDEX, [schema])) !== undefined;

const makeTables = async (client: PostgresClient, schema: string, leaseIndex: boolean): Promise<SchemaVersion> => {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
  const found = await versionIn(client, schema);
  // CREATE SCHEMA IF NOT EXISTS needs the right to create schemas even where the schema exists.
  if (firstRow(await client.query(FIND_SCHEMA, [schema])) === undefined)
    await client.query(`CREATE SCHEMA "${schema}"`);
  if (found.version === 0) {
    await client.query(inSchema(schema, 'CREATE TABLE $meta (name text PRIMARY KEY, value bigint NOT NULL)'));
  }
  for (const step of steps.slice(found.version)) await client.query(inSchema(schema, step));
  const write = `INSERT INTO $meta VALUES ('version', ${steps.length}), ('usable_from', ${USABLE_FROM})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
  if (found.version < steps.length) await client.query(inSchema(schema, write));
  if (leaseIndex && !(await hasLeaseIndex(client, schema))) {
    await client.query(inSchema(schema, `CREATE INDEX sessions_by_wait ON $sessions ${UNLEASED_INDEX}`));
  }
  await client.query('COMMIT');
  return found;
};

/**
 * Makes the tables, or upgrades those of an earlier version, in one transaction: of several processes, one makes them and
 * the others find them made. Where they are made, it only reads, so that a role without the right to make them may call it.
 * Tables of a later version are left as they are, and may be usable.
 */
export const migrate = async (connection: Connection, schema: string, leaseIndex: boolean): Answer<void> => {
  const connected = await connection.connect();
  if (connected.isErr()) return err(connected.error.error);
  const client = connected.value;
  try {
    const encoding = firstRow(await client.query('SHOW server_encoding'))?.['server_encoding'];
    let found = await versionIn(client, schema);
    const isMade =
      found.version > steps.length ||
      (found.version === steps.length && (!leaseIndex || (await hasLeaseIndex(client, schema))));
    if (encoding === 'UTF8' && !isMade) found = await makeTables(client, schema, leaseIndex);
    client.release(false);
    if (encoding !== 'UTF8') {
      return err(misconfigured(`the database must have the encoding UTF8, not ${String(encoding)}`));
    }
    const refusal = refusalOf(found, steps.length);
    return refusal === undefined ? ok() : err(refusal);
  } catch (cause) {
    // Closing the connection undoes its transaction.
    client.release(true);
    return err(failureOf(cause, 'unknown').error);
  }
};
