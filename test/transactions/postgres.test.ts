import { expect, onTestFinished, test } from 'vitest';
import { PostgresSessionStore } from '../../adapters/postgres/index.js';
import { SessionService } from '../../src/index.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { openPglite } from '../support/pglite-pool.js';
import { ada, errorOf, okOf } from '../support/sessions.js';
import { openPostgresHost } from './hosts.js';

const said = (content: string) => [{ role: 'user', content }];

describeWithPostgres("a host's transaction on PostgreSQL", () => {
  const open = async (options = {}) => {
    const host = await openPostgresHost();
    const { pool, schema } = host;
    const sessionsWith = (timeoutMs: number) =>
      new SessionService({
        store: new PostgresSessionStore({ pool, schema, ...options, timeoutMs }),
        limits: { activeSessions: 100 },
      });
    // Longer than a test may take.
    const sessions = sessionsWith(600_000);
    await okOf(sessions.create({ ...ada, id: 'a', start: true }));
    await okOf(sessions.create({ ...ada, id: 'b', start: true }));
    const begin = async (by = sessions) => {
      const transaction = await host.begin();
      return { transaction, inside: by.within(transaction.client) };
    };
    const historyOf = async (id: string) =>
      (await okOf(sessions.get(id))).history.map(({ content }) => content);
    return { ...host, sessionsWith, sessions, begin, historyOf };
  };

  const SETTINGS = `
    SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement,
      current_setting('synchronous_commit') AS synchronous`;

  test.for([
    ['SET LOCAL', '250ms', '3min'],
    ['SET LOCAL', '0', '0'],
    ['SET', '1min', '2h'],
  ] as const)("keeps the host's timeouts: %s %s %s", async ([set, lock, statement]) => {
    const { begin } = await open();
    const { transaction, inside } = await begin();
    await transaction.query(`${set} lock_timeout = '${lock}'`);
    await transaction.query(`${set} statement_timeout = '${statement}'`);
    const before = await transaction.query(SETTINGS);
    expect(before).toMatchObject([{ lock, statement }]);
    await okOf(inside.append('a', said('one')));
    await okOf(inside.create({ ...ada, start: true }));
    await okOf(inside.get('a'));
    await okOf(inside.list());
    await errorOf(inside.create({ ...ada, id: 'a' }));
    expect(await transaction.query(SETTINGS)).toEqual(before);
    await transaction.query('RESET ALL');
    await transaction.rollback();
  });

  test("stops waiting for a lock at the host's lock_timeout, if that is shorter", async () => {
    const { begin } = await open();
    const [first, second] = [await begin(), await begin()];
    await okOf(first.inside.append('a', said('one')));
    await second.transaction.query("SET LOCAL lock_timeout = '20ms'");
    expect(await errorOf(second.inside.append('a', said('two')))).toMatchObject({
      type: 'store_unavailable',
      outcome: 'not_applied',
      message:
        'another transaction holds a lock that the call needs: the transaction can only be rolled back',
    });
    expect(await errorOf(second.inside.get('a'))).toMatchObject({
      type: 'store_unavailable',
      outcome: 'not_applied',
      message:
        'an earlier statement of the transaction has failed: the transaction can only be rolled back',
    });
    await second.transaction.rollback();
    await first.transaction.rollback();
  });

  test('stops waiting for a lock before the timeout of the store', async () => {
    const { begin, sessionsWith } = await open();
    const [first, second] = [await begin(), await begin(sessionsWith(3000))];
    await okOf(first.inside.append('a', said('one')));
    expect(await errorOf(second.inside.append('a', said('two')))).toMatchObject({
      type: 'store_unavailable',
      outcome: 'not_applied',
    });
    await second.transaction.rollback();
    await first.transaction.rollback();
  });

  test('is unknown if a statement is still running at the timeout', async () => {
    const { begin, historyOf, sessionsWith } = await open();
    const hasty = sessionsWith(300);
    // What the store reads once is no part of the write.
    await expect.poll(async () => (await hasty.get('a')).isOk()).toBe(true);
    const { transaction, inside } = await begin(hasty);
    const busy = transaction.query('SELECT pg_sleep(1)');
    expect(await errorOf(inside.append('a', said('one')))).toMatchObject({
      type: 'store_unavailable',
      outcome: 'unknown',
      message: 'PostgreSQL did not answer in time: the transaction can only be rolled back',
    });
    await busy;
    await transaction.rollback();
    expect(await historyOf('a')).toEqual([]);
  });

  test('continues from a savepoint after an error that aborted the transaction', async () => {
    const { begin, historyOf } = await open();
    const [first, second] = [await begin(), await begin()];
    await okOf(first.inside.append('a', said('one')));
    await okOf(second.inside.append('b', said('two')));
    await second.transaction.query('SAVEPOINT before_it');
    await second.transaction.query("SET LOCAL lock_timeout = '20ms'");
    await errorOf(second.inside.append('a', said('three')));
    await second.transaction.query('ROLLBACK TO SAVEPOINT before_it');
    await okOf(second.inside.append('b', said('four')));
    await second.transaction.commit();
    await first.transaction.commit();
    expect([await historyOf('a'), await historyOf('b')]).toEqual([['one'], ['two', 'four']]);
  });

  test.for(['REPEATABLE READ', 'SERIALIZABLE'])(
    'rejects writes under %s, and stays usable',
    async (level) => {
      const { begin, historyOf } = await open();
      const strict = await begin();
      await strict.transaction.query('ROLLBACK');
      await strict.transaction.query(`BEGIN ISOLATION LEVEL ${level}`);
      expect(await errorOf(strict.inside.append('a', said('one')))).toMatchObject({
        type: 'misconfigured',
        message: 'within: the transaction must have the isolation level READ COMMITTED',
      });
      await okOf(strict.inside.get('a'));
      await strict.transaction.commit();
      expect(await historyOf('a')).toEqual([]);
    },
  );

  test('is ended by PostgreSQL if two transactions lock sessions in opposite orders', async () => {
    const { sessions, begin, historyOf } = await open();
    const [first, second] = [await begin(), await begin()];
    await okOf(first.inside.append('a', said('first')));
    await okOf(second.inside.append('b', said('second')));
    const grouped = Promise.all([
      okOf(sessions.append('a', said('grouped'))),
      okOf(sessions.append('b', said('grouped'))),
      okOf(sessions.create({ ...ada, id: 'c' })),
    ]);
    const end = async ({ inside, transaction }: typeof first, id: string, name: string) => {
      const result = await inside.append(id, said(name));
      await (result.isOk() ? transaction.commit() : transaction.rollback());
      return result;
    };
    const results = await Promise.all([end(first, 'b', 'first'), end(second, 'a', 'second')]);
    await grouped;
    const errors = results.flatMap((result) => (result.isErr() ? [result.error] : []));
    expect(errors).toMatchObject([
      {
        type: 'store_unavailable',
        outcome: 'not_applied',
        message: 'other transactions were in the way: the transaction can only be rolled back',
      },
    ]);
    const won = results[0]?.isOk() ? 'first' : 'second';
    expect((await historyOf('a')).toSorted()).toEqual([won, 'grouped'].toSorted());
    expect((await historyOf('b')).toSorted()).toEqual([won, 'grouped'].toSorted());
  });

  test('waits for another transaction if both lock sessions in one order', async () => {
    const { begin, historyOf } = await open();
    const [first, second] = [await begin(), await begin()];
    await okOf(first.inside.append('a', said('first')));
    const appended = second.inside.append('a', said('second'));
    await okOf(first.inside.append('b', said('first')));
    await first.transaction.commit();
    await okOf(appended);
    await okOf(second.inside.append('b', said('second')));
    await second.transaction.commit();
    expect(await historyOf('a')).toEqual(['first', 'second']);
    expect(await historyOf('b')).toEqual(['first', 'second']);
  });

  test('notifies the listeners at the commit of a write, and only of a write', async () => {
    const { pool, schema, begin } = await open({ events: true });
    const listener = await pool.connect();
    const heard: string[] = [];
    listener.on('notification', ({ channel }) => heard.push(channel));
    await listener.query(`LISTEN colloquy_${schema}`);
    onTestFinished(async () => {
      await listener.query('UNLISTEN *');
      listener.release();
    });
    // An answer follows the notifications before it.
    const heardByNow = async () => {
      await listener.query('SELECT 1');
      return heard.splice(0);
    };
    // What the store publishes of the sessions notifies them too.
    const unpublished = `SELECT FROM "${schema}".outbox`;
    await expect.poll(async () => (await pool.query(unpublished)).rows).toEqual([]);
    await heardByNow();
    const { transaction, inside } = await begin();
    await okOf(inside.append('a', said('one')));
    expect(await heardByNow()).toEqual([]);
    await transaction.commit();
    expect(await heardByNow()).toEqual([`colloquy_${schema}`]);
    const next = await begin();
    await errorOf(next.inside.append('nobody', said('one')));
    await okOf(next.inside.get('a'));
    await next.transaction.commit();
    expect(await heardByNow()).toEqual([]);
  });

  test('rejects the pool with a TypeError', async () => {
    const { sessions, pool } = await open();
    expect(() => sessions.within(pool)).toThrow(
      new TypeError('within: client must be the connection of a transaction, not a pool'),
    );
  });

  test('reports missing tables and that the transaction is aborted', async () => {
    const { pool, begin } = await open();
    const { transaction } = await begin();
    const nowhere = new SessionService({
      store: new PostgresSessionStore({ pool, schema: 'nowhere' }),
    });
    expect(await errorOf(nowhere.within(transaction.client).wake('a'))).toMatchObject({
      type: 'misconfigured',
      message:
        'the tables of the store are missing: call migrate() first: the transaction can only be rolled back',
    });
    await transaction.rollback();
  });
});

test('a PGlite tx stores what it wrote at its end, or nothing', async () => {
  const { pool, database, close } = await openPglite();
  onTestFinished(close);
  const store = new PostgresSessionStore({ pool, events: true });
  (await store.migrate())._unsafeUnwrap();
  const sessions = new SessionService({ store });
  await okOf(sessions.create({ ...ada, id: 'a', start: true }));
  await database.transaction(async (tx) => {
    await okOf(sessions.within(tx).append('a', said('one')));
    expect((await okOf(sessions.within(tx).get('a'))).historyCount).toBe(1);
  });
  await database.transaction(async (tx) => {
    await okOf(sessions.within(tx).append('a', said('two')));
    await tx.rollback();
  });
  expect((await okOf(sessions.get('a'))).history.map(({ content }) => content)).toEqual(['one']);
  expect(await errorOf(sessions.within(database).append('a', said('three')))).toMatchObject({
    type: 'misconfigured',
    message: 'within: the connection is not in a transaction: begin one first',
  });
  expect((await okOf(sessions.get('a'))).historyCount).toBe(1);
});
