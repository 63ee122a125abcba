import { onTestFinished } from 'vitest';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { SessionService, type SessionServiceOptions } from '../../src/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
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

export const hostKinds: readonly HostKind[] = [{ name: 'SQLite', open: openSqliteHost }];

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
