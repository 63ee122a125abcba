import { chmodSync } from 'node:fs';
import Promised from 'libsql/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type SqliteDatabase, SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { begin, beginOf } from '../../../src/testing/commits.js';
import { keyOf } from '../../../src/testing/samples.js';
import { openLibsql, sqliteFile } from '../../support/sqlite-file.js';

/*
 * The shapes of drivers that the store cannot use, as sqlite3 6.0, @tursodatabase/database 0.7,
 * sql.js 1.17 and @libsql/client 0.18 have them.
 */

/** Methods accept callbacks, and return the object that they belong to. */
class CallbackDatabase {
  exec(_sql: string): this {
    return this;
  }

  prepare(_sql: string) {
    const statement = {
      all: (..._values: unknown[]): unknown => statement,
      get: (..._values: unknown[]): unknown => statement,
      run: (..._values: unknown[]): unknown => statement,
    };
    return statement;
  }
}

/** Statements are prepared synchronously, and their methods return promises. */
const promising = (all: () => Promise<unknown>): SqliteDatabase => ({
  exec: async () => undefined,
  prepare: () => ({ all, get: all, run: all }),
});

/** `prepare` itself returns a promise. */
const preparesLater = {
  exec: async () => undefined,
  prepare: async () => Promise.reject(new Error('closed')),
};

/** Rows are read one by one, with `step`. */
const stepping = {
  exec: () => [{ columns: ['one'], values: [[1]] }],
  prepare: () => ({ step: () => true, get: () => [1], run: () => undefined, free: () => true }),
};

/** A client with its own protocol. */
const executing = {
  execute: async () => ({ rows: [{ one: 1 }] }),
  batch: async () => [],
  executeMultiple: async () => undefined,
  close: () => undefined,
};

describe('SqliteSessionStore throws a TypeError that names the supported drivers', () => {
  const drivers = 'better-sqlite3, libsql, node:sqlite or bun:sqlite';
  const synchronous = `must return rows synchronously from prepare(sql).all(): use ${drivers}`;
  const connection = `must be an open connection of ${drivers}`;

  it.each<readonly [string, unknown, string]>([
    ['sqlite3', new CallbackDatabase(), synchronous],
    ['@tursodatabase/database', promising(async () => [{ one: 1 }]), synchronous],
    ['a promise that rejects', promising(async () => Promise.reject(new Error('no'))), synchronous],
    ['a statement that is a promise', preparesLater, synchronous],
    ['libsql/promise', new Promised(':memory:', {}), synchronous],
    ['sql.js', stepping, synchronous],
    ['@libsql/client', executing, connection],
    ['the path of a file', 'chat.db', connection],
    ['a connection that is still a promise', Promise.resolve(openLibsql(':memory:')), connection],
  ])('for %s', (_, database, rule) => {
    // @ts-expect-error A host without types may pass anything.
    const make = () => new SqliteSessionStore({ database });
    expect(make).toThrow(new TypeError(`SqliteSessionStore: database ${rule}`));
  });

  it('SqliteSessionStore accepts a closed connection, and reports it with the first call', async () => {
    const database = openLibsql(':memory:');
    database.close();
    const store = new SqliteSessionStore({ database });
    expect((await store.migrate())._unsafeUnwrapErr()).toMatchObject({ outcome: 'not_applied' });
  });
});

it('SqliteSessionStore returns store_unavailable if the driver later returns no rows', async () => {
  const database = openLibsql(':memory:');
  let isForeign = false;
  const changing: SqliteDatabase = {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        all: (...values) => (isForeign ? statement : statement.all(...values)),
        get: (...values) => statement.get(...values),
        run: (...values) => statement.run(...values),
      };
    },
  };
  const store = new SqliteSessionStore({ database: changing });
  (await store.migrate())._unsafeUnwrap();
  await begin(store, keyOf('one'));
  isForeign = true;
  const foreign = { type: 'store_unavailable', outcome: 'not_applied' };
  expect(store.find(keyOf('one'))._unsafeUnwrapErr()).toMatchObject(foreign);
  const inserted = await store.begin(beginOf(keyOf('two')));
  expect(inserted._unsafeUnwrapErr()).toMatchObject(foreign);
});

it('SqliteSessionStore returns misconfigured for a write into a read-only database', async () => {
  const { file, remove } = sqliteFile();
  onTestFinished(remove);
  (await new SqliteSessionStore({ database: openLibsql(file) }).migrate())._unsafeUnwrap();
  chmodSync(file, 0o400);
  const database = openLibsql(file);
  database.exec('PRAGMA query_only = ON');
  const store = new SqliteSessionStore({ database });
  const inserted = await store.begin(beginOf(keyOf('one')));
  expect(inserted._unsafeUnwrapErr()).toMatchObject({ type: 'misconfigured' });
  expect(store.find(keyOf('one'))._unsafeUnwrap()).toBeUndefined();
});
