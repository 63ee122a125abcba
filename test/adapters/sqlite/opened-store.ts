import { type SqliteDatabase, SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { begin } from '../../../src/testing/commits.js';
import { keyOf } from '../../../src/testing/samples.js';

/** A store with events, its tables made, and one ACTIVE session in it: `one` of `acme`. */
export const openedStore = async (database: SqliteDatabase): Promise<SqliteSessionStore> => {
  const store = new SqliteSessionStore({ database, events: true });
  (await store.migrate())._unsafeUnwrap();
  await begin(store, keyOf('one'));
  return store;
};

/** The connection, but `onCommit` may throw, or commit and throw, instead of COMMIT. */
export const withCommit = (
  database: SqliteDatabase,
  onCommit: (commit: () => void) => void,
): SqliteDatabase => ({
  exec: (sql) => (sql === 'COMMIT' ? onCommit(() => database.exec(sql)) : database.exec(sql)),
  prepare: (sql) => database.prepare(sql),
});
