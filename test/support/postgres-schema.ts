import { randomBytes } from 'node:crypto';
import { Pool, type PoolConfig } from 'pg';
import {
  type PostgresPool,
  PostgresSessionStore,
  type PostgresSessionStoreOptions,
  type PostgresSql,
} from '../../adapters/postgres/index.js';
import { PATIENT_MS } from './patience.js';
import type { PostgresAddress } from './postgres-server.js';

const TABLES = ['sessions', 'entries', 'operations', 'labels', 'totals', 'outbox', 'events'];

export const schemaName = (): string => `test_${randomBytes(8).toString('hex')}`;

/**
 * Ends the pool one turn later. If a pool ends in the turn of a request for a connection, the
 * request is never answered, and the waiting call would keep its timer.
 */
class PatientPool extends Pool {
  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): unknown {
    if (callback !== undefined) return super.end(callback);
    return new Promise(setImmediate).then(() => super.end());
  }
}

/** A pool with the recommended settings. Lost idle connections do not fail a test. */
export const openPool = (
  { url }: Pick<PostgresAddress, 'url'>,
  settings: PoolConfig = {},
): Pool => {
  const pool = new PatientPool({
    connectionString: url,
    connectionTimeoutMillis: PATIENT_MS,
    ...settings,
  });
  pool.on('error', () => undefined);
  return pool;
};

/** The store option for a pool of any client. */
export const hostOf = (pool: PostgresPool | PostgresSql) =>
  'unsafe' in pool ? { sql: pool } : { pool };

const runOn = async (pool: PostgresPool | PostgresSql, sql: string): Promise<void> => {
  if ('unsafe' in pool) {
    await pool.unsafe(sql);
    return;
  }
  const client = await pool.connect();
  await client.query(sql);
  client.release();
};

/**
 * Opens stores on one pool, each in an empty schema. Reuses schemas, because creating the tables is
 * slow.
 */
export const postgresSchemas = (pool: PostgresPool | PostgresSql) => {
  const host = hostOf(pool);
  const free: string[] = [];
  const take = async (): Promise<string> => {
    const known = free.pop();
    if (known !== undefined) return known;
    const schema = schemaName();
    (
      await new PostgresSessionStore({ ...host, schema, timeoutMs: PATIENT_MS }).migrate()
    )._unsafeUnwrap();
    return schema;
  };
  const run = (sql: string): Promise<void> => runOn(pool, sql);
  const open = async (
    options: Omit<PostgresSessionStoreOptions, 'pool' | 'sql' | 'schema'> = {},
  ) => {
    const schema = await take();
    const settings = { events: false, timeoutMs: PATIENT_MS, ...options };
    const make = () => new PostgresSessionStore({ ...host, schema, ...settings });
    (await make().migrate({ reconfigure: true }))._unsafeUnwrap();
    const close = async () => {
      await run(TABLES.map((table) => `DELETE FROM "${schema}".${table}`).join('; '));
      free.push(schema);
    };
    return { store: make(), second: make(), schema, close };
  };
  let current: { close(): Promise<void> } | undefined;
  /** Opens an empty store in place of the previous one. */
  const openNext = async (): Promise<PostgresSessionStore> => {
    await current?.close();
    const next = await open();
    current = next;
    return next.store;
  };
  return { run, open, openNext };
};
