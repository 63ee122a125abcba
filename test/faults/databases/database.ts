import { Pool } from 'pg';
import postgres from 'postgres';
import { PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import type { SessionStore } from '../../../src/index.js';
import { openLibsql } from '../../support/sqlite-file.js';

export interface SqliteDatabase {
  readonly kind: 'sqlite';
  readonly file: string;
  /** How long a call waits for a lock. */
  readonly busyTimeoutMs?: number;
  readonly synchronous?: 'NORMAL' | 'FULL';
}

export interface PostgresDatabase {
  readonly kind: 'postgres';
  readonly url: string;
  readonly schema: string;
  readonly timeoutMs?: number;
  /** The package that connects to it. Default: pg. */
  readonly client?: PostgresClientName;
}

/** The PostgreSQL clients that the fault tests try. */
export const postgresClientNames = ['pg', 'postgres.js'] as const;
export type PostgresClientName = (typeof postgresClientNames)[number];

/** Where a database is, so that another process can open it too. */
export type Database = SqliteDatabase | PostgresDatabase;

/** A store as a host opens it, with events that are never trimmed. */
export interface OpenStore {
  readonly store: SessionStore;
  readonly close: () => unknown;
}

const events = { length: 10_000_000 };

const openSqlite = ({
  file,
  busyTimeoutMs = 5000,
  synchronous = 'NORMAL',
}: SqliteDatabase): OpenStore => {
  const database = openLibsql(file);
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA synchronous = ${synchronous}`);
  return { store: new SqliteSessionStore({ database, events }), close: () => database.close() };
};

const openPostgresJs = ({ url, schema, timeoutMs = 5000 }: PostgresDatabase): OpenStore => {
  // As docs/postgres.md recommends: while postgres.js fetches types, a lost connection is an
  // unhandled rejection, and by default it waits up to 20 s before it connects again.
  const recommended = { fetch_types: false, backoff: () => 0.5 };
  const settings = { ...recommended, connect_timeout: 2, onnotice: () => undefined };
  const sql = postgres(url, { max: 5, ...settings });
  return {
    store: new PostgresSessionStore({ sql, schema, timeoutMs, events }),
    close: () => sql.end(),
  };
};

const openPostgres = ({ url, schema, timeoutMs = 5000 }: PostgresDatabase): OpenStore => {
  const pool = new Pool({ connectionString: url, max: 5, connectionTimeoutMillis: 2000 });
  pool.on('error', () => undefined);
  return {
    store: new PostgresSessionStore({ pool, schema, timeoutMs, events }),
    close: () => pool.end(),
  };
};

export const openDatabase = (database: Database): OpenStore => {
  if (database.kind === 'sqlite') return openSqlite(database);
  return database.client === 'postgres.js' ? openPostgresJs(database) : openPostgres(database);
};
