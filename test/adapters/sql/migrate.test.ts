import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { freePort } from '../../support/free-port.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import { openLibsql, sqliteFile } from '../../support/sqlite-file.js';
import { methods, storeCalls } from '../../support/store-calls.js';

type Migrating = SessionStore & Pick<SqliteSessionStore, 'migrate'>;

/** A database without tables. */
interface EmptyDatabase {
  readonly store: Migrating;
  /** The table with the versions. */
  readonly meta: string;
  run(sql: string): Promise<unknown>;
}

const describeMigrate = (
  empty: () => Promise<EmptyDatabase>,
  unreachable: () => Promise<Migrating>,
): void => {
  it('calls before migrate() fail with a hint to call it', async () => {
    const { store } = await empty();
    const calls = methods.map((method) => storeCalls[method](store));
    for (const call of [...calls, store.events?.latest(''), store.events?.read('', '0', 10)]) {
      expect((await call)?._unsafeUnwrapErr()).toMatchObject({
        type: 'misconfigured',
        message: expect.stringContaining('migrate()'),
      });
    }
  });

  it('migrate() returns the version of the tables before and after', async () => {
    const { store } = await empty();
    expect((await store.migrate())._unsafeUnwrap()).toEqual({ from: 0, to: 1 });
    expect((await store.migrate())._unsafeUnwrap()).toEqual({ from: 1, to: 1 });
  });

  it('migrate() reports to exactly one of several callers that it created the tables', async () => {
    const { store } = await empty();
    const migrations = await Promise.all(upTo(4).map(() => store.migrate()));
    const found = migrations.map((migration) => migration._unsafeUnwrap().from);
    expect(found.toSorted()).toEqual([0, 1, 1, 1]);
  });

  it('migrate() keeps usable tables of a later version', async () => {
    const { store, meta, run } = await empty();
    await store.migrate();
    await run(`UPDATE ${meta} SET value = 3 WHERE name = 'version'`);
    expect((await store.migrate())._unsafeUnwrap()).toEqual({ from: 3, to: 3 });
  });

  it('migrate() returns the error of tables of a later version that it cannot use', async () => {
    const { store, meta, run } = await empty();
    await store.migrate();
    await run(`UPDATE ${meta} SET value = 3`);
    expect((await store.migrate())._unsafeUnwrapErr()).toMatchObject({
      type: 'misconfigured',
      message:
        'a later version of Colloquy made the tables: version 3, which needs 3 or later; this one knows 1',
    });
  });

  it('migrate() returns the error of an unreachable database, and neither throws nor rejects', async () => {
    const store = await unreachable();
    expect((await store.migrate())._unsafeUnwrapErr()).toMatchObject({
      type: 'store_unavailable',
      outcome: 'not_applied',
    });
  });
};

describe('migrate() of SqliteSessionStore', () => {
  const open = () => {
    const { file, remove } = sqliteFile();
    const database = openLibsql(file);
    onTestFinished(() => {
      if (database.open) database.close();
      remove();
    });
    return { database, store: new SqliteSessionStore({ database, events: true }) };
  };
  const empty = async (): Promise<EmptyDatabase> => {
    const { database, store } = open();
    return { store, meta: 'colloquy_meta', run: async (sql) => database.exec(sql) };
  };
  const unreachable = async (): Promise<Migrating> => {
    const { database, store } = open();
    database.close();
    return store;
  };
  describeMigrate(empty, unreachable);
});

describeWithPostgres('migrate() of PostgresSessionStore', (postgres) => {
  const pool = openPool(postgres);
  afterAll(() => pool.end());

  const empty = async (): Promise<EmptyDatabase> => {
    const schema = schemaName();
    const store = new PostgresSessionStore({ pool, schema, events: true });
    return { store, meta: `${schema}.meta`, run: (sql) => pool.query(sql) };
  };
  const unreachable = async (): Promise<Migrating> => {
    const nowhere = openPool({ url: `postgres://postgres@127.0.0.1:${await freePort()}/postgres` });
    onTestFinished(() => nowhere.end());
    return new PostgresSessionStore({ pool: nowhere });
  };
  describeMigrate(empty, unreachable);
});
