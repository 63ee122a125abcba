import { expect, test } from 'vitest';
import { type SqliteDatabase, SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { begin } from '../../../src/testing/commits.js';
import { keyOf, live } from '../../../src/testing/samples.js';
import { listRanges } from '../../support/page-ranges.js';
import { openLibsql } from '../../support/sqlite-file.js';

/** A store with three sessions, and what it has asked SQLite for. */
const openThree = async () => {
  const database = openLibsql(':memory:');
  const asked: string[] = [];
  const noting: SqliteDatabase = {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      asked.push(sql);
      return database.prepare(sql);
    },
  };
  const store = new SqliteSessionStore({ database: noting });
  (await store.migrate())._unsafeUnwrap();
  for (const id of ['one', 'two', 'three']) {
    await begin(store, keyOf(id), { state: live('ACTIVE', { labels: { user: 'u-1' } }) });
  }
  asked.length = 0;
  return { store, asked };
};

test.each(listRanges)(
  'a SQLite page of %s after the last page costs only its total, however far it is',
  async (_, range) => {
    const { store, asked } = await openThree();
    for (const offset of [3, Number.MAX_SAFE_INTEGER]) {
      const page = store.page('acme', { offset, limit: 10, ...range })._unsafeUnwrap();
      expect(page).toEqual({ records: [], total: 3, unreadable: [] });
    }
    expect(asked).toEqual([expect.stringMatching(/^SELECT .* AS total$/s)]);
    expect(
      store.page('acme', { offset: 2, limit: 10, ...range })._unsafeUnwrap().records,
    ).toHaveLength(1);
  },
);
