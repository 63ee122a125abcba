import { expect, onTestFinished, test } from 'vitest';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { SessionService } from '../../src/index.js';
import { errorOf, startedIn } from '../support/sessions.js';
import { openLibsql, sqliteFile } from '../support/sqlite-file.js';

const openFile = () => {
  const { file, remove } = sqliteFile();
  const database = openLibsql(file);
  onTestFinished(() => {
    database.close();
    remove();
  });
  const store = new SqliteSessionStore({ database, events: true });
  return { database, store, sessions: new SessionService({ store }) };
};

const misconfigured = {
  type: 'misconfigured',
  message: expect.stringContaining('call migrate() first'),
};

test('operations and watches on a database without tables fail with misconfigured', async () => {
  const { sessions } = openFile();
  expect(await errorOf(sessions.get('s1'))).toMatchObject(misconfigured);
  expect(await errorOf(sessions.sweep(10))).toMatchObject(misconfigured);
  const { value } = await sessions.watch('s1')[Symbol.asyncIterator]().next();
  expect(value?._unsafeUnwrapErr()).toMatchObject(misconfigured);
});

test('a watch ends with misconfigured if its tables are dropped', async () => {
  const { database, store, sessions } = openFile();
  (await store.migrate())._unsafeUnwrap();
  const watch = sessions.watch(await startedIn(sessions))[Symbol.asyncIterator]();
  expect((await watch.next()).value?.isOk()).toBe(true);
  database.exec('DROP TABLE colloquy_events');
  expect((await watch.next()).value?._unsafeUnwrapErr()).toMatchObject(misconfigured);
  expect(await watch.next()).toEqual({ done: true, value: undefined });
});
