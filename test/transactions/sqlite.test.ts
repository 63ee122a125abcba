import { expect, test } from 'vitest';
import { SessionService } from '../../src/index.js';
import { ada, errorOf, okOf } from '../support/sessions.js';
import { openSqliteHost } from './hosts.js';

const said = (content: string) => [{ role: 'user', content }];

const open = async () => {
  const host = await openSqliteHost();
  const sessions = new SessionService({ store: host.store });
  await okOf(sessions.create({ ...ada, id: 'chat', start: true }));
  return { ...host, sessions };
};

const busyTimeoutOf = (database: { prepare(sql: string): { get(): unknown } }): unknown =>
  Object(database.prepare('PRAGMA busy_timeout').get()).timeout;

test('operations of the process wait while a transaction on SQLite is open, and succeed after it', async () => {
  const { sessions, begin, own } = await open();
  own.exec('PRAGMA busy_timeout = 60000');
  const transaction = await begin();
  await okOf(sessions.within(transaction.client).append('chat', said('one')));
  const appended = sessions.append('chat', said('two'));
  const created = sessions.create(ada);
  // Blocks for a minute, if a write waits within SQLite.
  expect((await okOf(sessions.get('chat'))).historyCount).toBe(0);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  await transaction.commit();
  await okOf(appended);
  await okOf(created);
  const { history } = await okOf(sessions.get('chat'));
  expect(history.map(({ content }) => content)).toEqual(['one', 'two']);
  expect(busyTimeoutOf(own)).toBe(60_000);
});

test('operations also wait for a transaction that has called nothing yet', async () => {
  const { sessions, begin } = await open();
  const first = await begin();
  const inside = sessions.within(first.client);
  await first.rollback();
  const second = await begin();
  const appended = sessions.append('chat', said('two'));
  await new Promise(setImmediate);
  await okOf(inside.append('chat', said('one')));
  await second.commit();
  await okOf(appended);
  expect((await okOf(sessions.get('chat'))).historyCount).toBe(2);
});

test('operations fail if a transaction is open for longer than busy_timeout', async () => {
  const { sessions, begin, own } = await open();
  own.exec('PRAGMA busy_timeout = 40');
  const transaction = await begin();
  await okOf(sessions.within(transaction.client).append('chat', said('one')));
  expect(await errorOf(sessions.append('chat', said('two')))).toMatchObject({
    type: 'store_unavailable',
    outcome: 'not_applied',
    message: 'another connection has locked the database',
  });
  await transaction.commit();
  await okOf(sessions.append('chat', said('two')));
});

test('operations do not wait for a transaction that only reads', async () => {
  const { sessions, other } = await open();
  other.exec('BEGIN');
  const inside = sessions.within(other);
  await okOf(inside.get('chat'));
  await okOf(sessions.append('chat', said('one')));
  expect((await okOf(inside.get('chat'))).historyCount).toBe(0);
  expect(await errorOf(inside.append('chat', said('two')))).toMatchObject({
    type: 'store_unavailable',
    outcome: 'not_applied',
  });
  other.exec('ROLLBACK');
});

test('within() rejects the connection of the store, with the reason', async () => {
  const { sessions, own } = await open();
  expect(() => sessions.within(own)).toThrow(
    new TypeError(
      'within: client must be another connection than that of the store, whose other calls would run in the transaction',
    ),
  );
});

test("within() keeps busy_timeout of the host's connection", async () => {
  const { sessions, begin, other } = await open();
  other.exec('PRAGMA busy_timeout = 7');
  const transaction = await begin();
  await okOf(sessions.within(transaction.client).append('chat', said('one')));
  await transaction.commit();
  expect(busyTimeoutOf(other)).toBe(7);
});

test('an error that ends the transaction is reported as such', async () => {
  const { sessions, begin, own, rows } = await open();
  own.exec(`CREATE TRIGGER strict BEFORE INSERT ON colloquy_entries
    BEGIN SELECT RAISE(ROLLBACK, 'no entries today'); END`);
  const before = await rows();
  const transaction = await begin();
  const inside = sessions.within(transaction.client);
  await okOf(inside.wake('chat'));
  expect(await errorOf(inside.append('chat', said('one')))).toMatchObject({
    type: 'store_unavailable',
    outcome: 'not_applied',
    message: 'SQLite has rolled back the transaction',
  });
  expect(await errorOf(inside.wake('chat'))).toMatchObject({ type: 'misconfigured' });
  expect(await rows()).toEqual(before);
});

test('a write that fails after its first statement is undone, and the transaction continues', async () => {
  const { sessions, begin, own } = await open();
  own.exec(`CREATE TRIGGER small BEFORE UPDATE ON colloquy_sessions WHEN new.bytes > 1000
    BEGIN SELECT RAISE(ABORT, 'too large'); END`);
  const transaction = await begin();
  const inside = sessions.within(transaction.client);
  await okOf(inside.append('chat', said('one')));
  expect(await errorOf(inside.append('chat', said('x'.repeat(2000))))).toMatchObject({
    type: 'store_unavailable',
    outcome: 'not_applied',
    message: 'SQLite refused the call',
  });
  await okOf(inside.append('chat', said('two')));
  await transaction.commit();
  const { history } = await okOf(sessions.get('chat'));
  expect(history.map(({ content }) => content)).toEqual(['one', 'two']);
});
