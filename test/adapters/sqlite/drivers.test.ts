import { chmodSync } from 'node:fs';
import Promised from 'libsql/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type SqliteDatabase, SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { begin, beginOf } from '../../../src/testing/commits.js';
import { keyOf } from '../../../src/testing/samples.js';
import { openLibsql, sqliteFile } from '../../support/sqlite-file.js';

/** The shape of npm's sqlite3: methods take callbacks, and return the object that they belong to. */
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

/** The shape of Turso's client: statements are prepared directly, and answer with promises. */
const promising = (all: () => Promise<unknown>): SqliteDatabase => ({
  exec: async () => undefined,
  prepare: () => ({ all, get: all, run: all }),
});

describe('SqliteSessionStore throws a TypeError for a driver that does not answer directly', () => {
  const synchronous = /^SqliteSessionStore: .*database must answer synchronously/;

  it.each([
    ['npm sqlite3', new CallbackDatabase()],
    ['Turso', promising(async () => [{ one: 1 }])],
    ['a promise that rejects', promising(async () => Promise.reject(new Error('closed')))],
  ])('%s', (_, database) => {
    const make = () => new SqliteSessionStore({ database });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(synchronous);
  });

  it('libsql/promise', () => {
    const database: object = new Promised(':memory:', {});
    // @ts-expect-error A host without types may pass anything.
    expect(() => new SqliteSessionStore({ database })).toThrow(synchronous);
  });

  it('accepts a connection that is closed, and reports that with the first call', async () => {
    const database = openLibsql(':memory:');
    database.close();
    const store = new SqliteSessionStore({ database });
    expect((await store.migrate())._unsafeUnwrapErr()).toMatchObject({ outcome: 'not_applied' });
  });
});

it('answers store_unavailable if the driver answers without rows later', async () => {
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

it('answers misconfigured to a write into a database that it may not write to', async () => {
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
