import type { Pool } from 'pg';
import postgres, { type Sql } from 'postgres';
import { describe, inject, onTestFinished } from 'vitest';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { SessionService, type SessionServiceOptions } from '../../src/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { openPool, postgresSchemas } from '../support/postgres-schema.js';
import { openLibsql, sqliteFile } from '../support/sqlite-file.js';

type Values = readonly (string | number)[];

/** A transaction of the host. */
export interface HostTransaction {
  /** What `within` gets. */
  readonly client: object;
  query(sql: string, values?: Values): Promise<readonly object[]>;
  commit(): Promise<unknown>;
  rollback(): Promise<unknown>;
}

/** A store with events, in a database with a table `orders` of the host. */
export interface Host {
  readonly store: SessionStore;
  /** A transaction on another connection than those of the store. */
  begin(): Promise<HostTransaction>;
  /** All rows of all tables of the store, as texts. */
  rows(): Promise<readonly string[]>;
  /** The ids of the orders that are committed. */
  orders(): Promise<readonly string[]>;
}

/** What a host uses to begin a transaction. */
export interface HostKind {
  readonly name: string;
  open(): Promise<Host>;
}

const textsOf = (rows: readonly unknown[]): readonly string[] =>
  rows.map((row) => JSON.stringify(row)).sort();

const STORE_TABLES =
  "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'colloquy%'";

/** A file with a connection for the store, one for transactions, and one that only reads. */
export const openSqliteHost = async () => {
  const { file, remove } = sqliteFile();
  const [own, other, reader] = [openLibsql(file), openLibsql(file), openLibsql(file)];
  onTestFinished(() => {
    for (const database of [own, other, reader]) database.close();
    remove();
  });
  const store = new SqliteSessionStore({ database: own, events: true });
  (await store.migrate())._unsafeUnwrap();
  own.exec('CREATE TABLE orders (id TEXT PRIMARY KEY)');
  const begin = async (): Promise<HostTransaction> => {
    other.exec('BEGIN IMMEDIATE');
    return {
      client: other,
      query: async (sql, values = []) => {
        const statement = other.prepare(sql);
        if (/^select/i.test(sql)) return statement.all(...values).map(Object);
        statement.run(...values);
        return [];
      },
      commit: async () => other.exec('COMMIT'),
      rollback: async () => other.exec('ROLLBACK'),
    };
  };
  const rows = async () => {
    const tables = reader
      .prepare(STORE_TABLES)
      .all()
      .map((row) => String(Object(row).name));
    return tables.flatMap((table) =>
      textsOf(reader.prepare(`SELECT '${table}' AS of, * FROM ${table}`).all()),
    );
  };
  const orders = async () =>
    reader
      .prepare('SELECT id FROM orders ORDER BY id')
      .all()
      .map((row) => String(Object(row).id));
  return { store, begin, rows, orders, own, other };
};

/** Begins transactions with a client of PostgreSQL. */
interface PostgresClients {
  begin(): Promise<
    Omit<HostTransaction, 'query'> & { query(sql: string, values: Values): Promise<unknown> }
  >;
}

const clientsOfPg = (pool: Pool): PostgresClients => ({
  begin: async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    const end = async (sql: string) => {
      await client.query(sql);
      client.release();
    };
    return {
      client,
      query: async (sql, values) => (await client.query(sql, [...values])).rows,
      commit: () => end('COMMIT'),
      rollback: () => end('ROLLBACK'),
    };
  },
});

const clientsOfReserved = (sql: Sql): PostgresClients => ({
  begin: async () => {
    const client = await sql.reserve();
    await client.unsafe('BEGIN');
    const end = async (command: string) => {
      await client.unsafe(command);
      client.release();
    };
    return {
      client,
      query: (text, values) => client.unsafe(text, [...values]),
      commit: () => end('COMMIT'),
      rollback: () => end('ROLLBACK'),
    };
  },
});

const clientsOfSql = (sql: Sql): PostgresClients => ({
  begin: () =>
    new Promise((resolve, reject) => {
      const done = sql.begin(
        (client) =>
          new Promise<void>((commit, rollback) => {
            const end = (how: () => void) => async () => {
              how();
              await done.catch(() => undefined);
            };
            resolve({
              client,
              query: (text, values) => client.unsafe(text, [...values]),
              commit: end(commit),
              rollback: end(() => rollback(new Error('rolled back'))),
            });
          }),
      );
      done.catch(reject);
    }),
});

const shared = new Map<
  string,
  { readonly pool: Pool; readonly sql: Sql; readonly schemas: ReturnType<typeof postgresSchemas> }
>();

const sharedAt = (url: string) => {
  const known = shared.get(url);
  if (known !== undefined) return known;
  const pool = openPool({ url }, { max: 12, allowExitOnIdle: true });
  const made = {
    pool,
    sql: postgres(url, { max: 6, onnotice: () => undefined }),
    schemas: postgresSchemas(pool),
  };
  shared.set(url, made);
  return made;
};

/** An empty schema with a table `orders`, in which transactions find the tables without it. */
export const openPostgresHost = async (
  clientsOf: (shared: { readonly pool: Pool; readonly sql: Sql }) => PostgresClients = ({ pool }) =>
    clientsOfPg(pool),
) => {
  const clients = sharedAt(inject('postgres')?.url ?? '');
  const { pool, schemas } = clients;
  const { store, second, schema, close } = await schemas.open({ events: true });
  await pool.query(`CREATE TABLE "${schema}".orders (id text PRIMARY KEY)`);
  onTestFinished(async () => {
    await pool.query(`DROP TABLE "${schema}".orders; DELETE FROM "${schema}".messages`);
    await close();
  });
  const begin = async (): Promise<HostTransaction> => {
    const { query, ...transaction } = await clientsOf(clients).begin();
    await query(`SET LOCAL search_path TO "${schema}"`, []);
    const rowsOf = async (sql: string, values: Values = []) => {
      const rows = await query(sql.replace('?', '$1'), values);
      return Array.isArray(rows) ? rows.map(Object) : [];
    };
    return { ...transaction, query: rowsOf };
  };
  const rows = async () => {
    // Moves what is committed from the outbox to the log.
    await store.events?.latest('');
    const found = await pool.query(
      'SELECT table_name FROM information_schema.tables WHERE table_schema = $1',
      [schema],
    );
    const tables = found.rows.map((row) => String(Object(row).table_name));
    const texts = await Promise.all(
      tables.map(async (table) => {
        const { rows } = await pool.query(`SELECT '${table}' AS of, * FROM "${schema}".${table}`);
        return textsOf(rows);
      }),
    );
    return texts.flat().sort();
  };
  const orders = async () => {
    const found = await pool.query(`SELECT id FROM "${schema}".orders ORDER BY id`);
    return found.rows.map((row) => String(Object(row).id));
  };
  return { store, second, begin, rows, orders, pool, schema };
};

const postgresKinds: readonly HostKind[] = [
  { name: 'PostgreSQL with pg', open: () => openPostgresHost() },
  {
    name: 'PostgreSQL with sql.begin of postgres.js',
    open: () => openPostgresHost(({ sql }) => clientsOfSql(sql)),
  },
  {
    name: 'PostgreSQL with sql.reserve of postgres.js',
    open: () => openPostgresHost(({ sql }) => clientsOfReserved(sql)),
  },
];

const sqliteKind: HostKind = { name: 'SQLite', open: openSqliteHost };

/** `describe` for each kind; skips in plain sight what the machine lacks. */
export const describeHosts = (name: string, define: (kind: HostKind) => void): void => {
  describe(`${name}, SQLite`, () => define(sqliteKind));
  for (const kind of postgresKinds)
    describeWithPostgres(`${name}, ${kind.name}`, () => define(kind));
};

/** Adds an order of the host to its transaction. */
export const order = ({ query }: HostTransaction, id: string): Promise<unknown> =>
  query('INSERT INTO orders (id) VALUES (?)', [id]);

/** A service over the store of a host, and its service within a transaction. */
export const openWithin = async (kind: HostKind, options: Partial<SessionServiceOptions> = {}) => {
  const host = await kind.open();
  const sessions = new SessionService({ store: host.store, ...options });
  const begin = async () => {
    const transaction = await host.begin();
    return { transaction, inside: sessions.within(transaction.client) };
  };
  return { ...host, sessions, begin };
};
