import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  SqliteSessionStore,
  type SqliteSessionStoreOptions,
} from '../../../adapters/sqlite/index.js';
import { begin } from '../../../src/testing/commits.js';
import { keyOf, upTo } from '../../../src/testing/samples.js';
import { expectCallsToFail } from '../../support/failing-calls.js';
import { openLibsql, sqliteFile } from '../../support/sqlite-file.js';

describe('the SQLite deployment settings', () => {
  let file: string;
  let remove: () => void;
  let databases: ReturnType<typeof openLibsql>[];
  beforeEach(() => {
    ({ file, remove } = sqliteFile());
    databases = [];
  });
  afterEach(() => {
    for (const database of databases) database.close();
    remove();
  });

  /** A store as of another process. */
  const open = (options: Omit<SqliteSessionStoreOptions, 'database'> = {}) => {
    const database = openLibsql(file);
    databases.push(database);
    return new SqliteSessionStore({ database, ...options });
  };
  const sequences = (store: SqliteSessionStore) =>
    store.events?.read('', '0', 100).map(({ events }) => events.map(({ sessionId }) => sessionId));

  it('are those of the first migrate(), and apply to processes that omit the options', async () => {
    (await open({ events: true }).migrate())._unsafeUnwrap();
    const follower = open();
    (await follower.migrate())._unsafeUnwrap();
    await begin(follower, keyOf('one'));
    expect(sequences(open())?._unsafeUnwrap()).toEqual(['one']);
  });

  it('keep as many events as the first process asked for, even when later processes write', async () => {
    (await open({ events: { length: 5 } }).migrate())._unsafeUnwrap();
    const follower = open();
    for (const at of upTo(12)) await begin(follower, keyOf(`s${at}`));
    expect(sequences(follower)?._unsafeUnwrap()).toHaveLength(5);
    expect(sequences(open({ events: { length: 500 } }))?.isOk()).toBe(true);
  });

  it('default to off, and then a watch fails', async () => {
    const store = open();
    (await store.migrate())._unsafeUnwrap();
    await begin(store, keyOf('one'));
    expect(sequences(store)?._unsafeUnwrapErr()).toMatchObject({
      type: 'misconfigured',
      message: expect.stringContaining('no events'),
    });
  });

  it.each([
    [{ events: false }, 'the option events is false, but this store has true'],
    [{ reportEnds: true }, 'the option reportEnds is true, but this store has false'],
  ])(
    'reject each call of a process that asks for %j, and stay unchanged',
    async (options, message) => {
      const first = open({ events: true });
      (await first.migrate())._unsafeUnwrap();
      const misconfigured = { type: 'misconfigured', message: expect.stringContaining(message) };
      const store = open(options);
      for (const _ of upTo(2)) {
        expect((await store.migrate())._unsafeUnwrapErr()).toMatchObject(misconfigured);
        await expectCallsToFail(store, misconfigured);
      }
      await begin(first, keyOf('one'));
      expect(sequences(first)?._unsafeUnwrap()).toEqual(['one']);
    },
  );

  it('are changed by a migrate() that asks for it, on and off', async () => {
    (await open().migrate())._unsafeUnwrap();
    await begin(open(), keyOf('one'));
    const wanted = open({ events: true });
    (await wanted.migrate({ reconfigure: true }))._unsafeUnwrap();
    await begin(wanted, keyOf('two'));
    expect(sequences(open())?._unsafeUnwrap()).toEqual(['two']);
    (await open({ events: false }).migrate({ reconfigure: true }))._unsafeUnwrap();
    expect(sequences(open())?._unsafeUnwrapErr()).toMatchObject({ type: 'misconfigured' });
  });
});
