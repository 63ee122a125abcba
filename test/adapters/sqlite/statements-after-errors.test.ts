import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type SqliteDatabase, SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { SessionService } from '../../../src/index.js';
import { planRemove } from '../../../src/plan/remove.js';
import type { SearchTooLarge, StoreError, TooLarge } from '../../../src/session/errors.js';
import type { Answer, SessionKey } from '../../../src/store/session-store.js';
import { append, appendOf, begin, beginOf, put, putOf } from '../../../src/testing/commits.js';
import { ended, keyOf, live, NOON, operationOf } from '../../../src/testing/samples.js';
import { reasonToSkip } from '../../support/requirements.js';
import { errorOf, okOf } from '../../support/sessions.js';
import { sqliteDrivers } from '../../support/sqlite-drivers.js';
import { openLibsql, sqliteFile } from '../../support/sqlite-file.js';

type Store = SqliteSessionStore;
type Open = (file: string) => SqliteDatabase & { close(): unknown };

/* Two sessions that differ in nothing but their tenant, id, status and texts. */
const theirs = { tenant: 'acme', id: 'one' };
const ours = { tenant: 'beta', id: 'two' };
const labels = { user: 'u-1' };
const due = { revision: 2, deadline: NOON + 5 };
const hello = operationOf('hello');

const textsOf = ({ tenant }: SessionKey) =>
  ['first', 'second', 'third'].map((text) => `${text} of ${tenant}`);

const seeded = async (database: SqliteDatabase): Promise<Store> => {
  const store = new SqliteSessionStore({ database, events: true });
  (await store.migrate())._unsafeUnwrap();
  for (const key of [theirs, ours]) {
    await begin(store, key, { state: live('ACTIVE', { labels }) });
    await append(store, key, textsOf(key), { operation: hello });
  }
  await put(store, theirs, live('ACTIVE', due));
  await put(store, ours, ended('terminated', due));
  return store;
};

const page = { offset: 0, limit: 10 };
const status = { anyOf: ['ACTIVE'], now: NOON } as const;

type Call = (
  store: Store,
  key: SessionKey,
) => Answer<unknown, StoreError | TooLarge | SearchTooLarge> | undefined;

const calls: Readonly<Record<string, Call>> = {
  begin: (store, { tenant }) =>
    store.begin(beginOf(keyOf('new', tenant), { state: live('ACTIVE', { labels }) })),
  find: (store, key) => store.find(key),
  'find without the history': (store, key) => store.find(key, { historyLimit: 0 }),
  'find with the end of the history': (store, key) => store.find(key, { historyLimit: 2 }),
  findState: (store, key) => store.findState(key),
  list: (store, { tenant }) => store.page(tenant, page),
  'list by label': (store, { tenant }) => store.page(tenant, { ...page, labels: { user: 'u-1' } }),
  'list by status': (store, { tenant }) => store.page(tenant, { ...page, status }),
  'list by time': (store, { tenant }) =>
    store.page(tenant, { ...page, createdAfter: '2026-01-01T00:00:00.000Z' }),
  replace: (store, key) => store.change(putOf(key, live('PAUSED', { revision: 3 }))),
  append: (store, key) => store.change(appendOf(key, ['more'])),
  'append again': (store, key) => store.change(appendOf(key, textsOf(key), { operation: hello })),
  'entries after a position': (store, key) =>
    store.entries(key, { limit: 3, after: 0, maxBytes: 200 }),
  'entries before a position': (store, key) =>
    store.entries(key, { limit: 3, before: 3, maxBytes: 200 }),
  remove: (store, key) => store.remove(planRemove(key, NOON)),
  reschedule: (store, key) =>
    store.change({ key, guards: { dueAt: NOON + 5 }, effects: { dueAt: NOON + 2 } }),
  due: (store) => store.due(NOON + 10, 1),
  'events.latest': (store) => store.events?.latest(),
  'events.read': (store, { tenant, id }) =>
    store.events?.read('', '0', 10, { tenant, sessionId: id }),
};

/**
 * The answer, and everything that the tables contain after it. Random incarnations are replaced by
 * their session.
 */
const outcomeOf = async (
  call: Call,
  { store, database }: { store: Store; database: SqliteDatabase },
) => {
  const answer = await call(store, ours);
  const rowsOf = (sql: string): unknown => database.prepare(sql).all();
  const tables = ['sessions', 'heads', 'entries', 'operations', 'labels', 'totals', 'events'];
  const incarnations = rowsOf('SELECT tenant, id, incarnation FROM colloquy_events');
  let stored = JSON.stringify({
    answer,
    tables: tables.map((name) => rowsOf(`SELECT * FROM colloquy_${name}`)),
  });
  for (const { tenant, id, incarnation } of Array.isArray(incarnations) ? incarnations : []) {
    stored = stored.replaceAll(incarnation, `incarnation of ${tenant}/${id}`);
  }
  return { error: answer?.isErr() ? answer.error : undefined, stored };
};

type Method = 'all' | 'get' | 'run';
type Wrap = (method: Method, call: (...values: (string | number)[]) => unknown) => typeof call;

const withStatements = (database: SqliteDatabase, wrap: Wrap): SqliteDatabase => ({
  exec: (sql) => database.exec(sql),
  prepare: (sql) => {
    const statement = database.prepare(sql);
    return {
      all: wrap('all', (...values) => statement.all(...values)),
      get: wrap('get', (...values) => statement.get(...values)),
      run: wrap('run', (...values) => statement.run(...values)),
    };
  },
});

/**
 * A connection on which the statement with this number, counted from `begin` on, fails: its tables
 * are gone until ROLLBACK.
 */
const failing = (database: SqliteDatabase) => {
  let left = 0;
  const wrap: Wrap =
    (_method, call) =>
    (...values) => {
      left -= 1;
      if (left === 0) {
        const tables = ['sessions', 'heads', 'entries', 'operations', 'labels', 'totals', 'events'];
        for (const name of tables) database.exec(`DROP TABLE colloquy_${name}`);
      }
      return call(...values);
    };
  const begin = (number: number) => {
    left = number;
  };
  return { database: withStatements(database, wrap), begin };
};

/**
 * A defect of libsql 0.5.29 in statements that read: after an error, the next call is answered for
 * the values before.
 */
const withOldValues = (database: SqliteDatabase): SqliteDatabase =>
  withStatements(database, (method, call) => {
    let old: (string | number)[] | undefined;
    return (...values) => {
      const bound = method === 'run' ? values : (old ?? values);
      old = bound;
      const answer = call(...bound);
      old = undefined;
      return answer;
    };
  });

const opened = (open: Open, file = ':memory:') => {
  const database = open(file);
  onTestFinished(() => void database.close());
  return database;
};

/**
 * The result of an operation after the same operation of another tenant failed at each of its
 * statements in turn.
 */
const outcomesAfterErrors = async (
  call: Call,
  connect: () => SqliteDatabase,
  driver = (it: SqliteDatabase) => it,
) => {
  const outcomes: Awaited<ReturnType<typeof outcomeOf>>[] = [];
  for (let number = 1; ; number += 1) {
    const database = connect();
    const { database: connection, begin } = failing(database);
    const store = await seeded(driver(connection));
    begin(number);
    const failed = await call(store, theirs);
    begin(0);
    if (failed?.isOk()) return outcomes;
    outcomes.push(await outcomeOf(call, { store, database }));
  }
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
});
afterEach(() => {
  vi.useRealTimers();
});

describe.each(sqliteDrivers)('SQLite statements after an error, on $name', ({ open, needs }) => {
  if (needs !== undefined && !needs.isMet()) {
    test.skip(reasonToSkip(needs));
    return;
  }

  /**
   * A store in a file with a rollback journal, which another connection locks while `attempt` runs.
   */
  const lockable = async () => {
    const { file, remove } = sqliteFile();
    onTestFinished(remove);
    // Not WAL, in which nobody locks readers out.
    const withoutWal = 'PRAGMA journal_mode = DELETE; PRAGMA busy_timeout = 1';
    const database = opened(open, file);
    const store = await seeded(database);
    database.exec(withoutWal);
    const other = opened((path) => open(path, withoutWal), file);
    const whileLocked = async <T>(attempt: () => PromiseLike<T> | T): Promise<T> => {
      other.exec('BEGIN EXCLUSIVE');
      const answer = await attempt();
      other.exec('ROLLBACK');
      return answer;
    };
    return { store, database, whileLocked };
  };

  test("never write another tenant's values with a command that a lock refused", async () => {
    const { store, whileLocked } = await lockable();
    const sessions = new SessionService({ store });
    const [acme, beta] = [sessions.forTenant('acme'), sessions.forTenant('beta')];
    const read = async (of: SessionService, id: string) =>
      (await okOf(of.history(id))).entries.map(({ content }) => content);
    expect(await read(acme, 'one')).toEqual(textsOf(theirs));
    const refused = await whileLocked(() => errorOf(acme.pause('one')));
    expect(refused).toMatchObject({ type: 'store_unavailable', outcome: 'not_applied' });
    expect((await errorOf(beta.pause('two'))).type).toBe('invalid_transition');
    expect((await whileLocked(() => errorOf(acme.history('one')))).type).toBe('store_unavailable');
    expect(await read(beta, 'two')).toEqual(textsOf(ours));
  });

  test.each(Object.entries(calls))(
    '%s: keep no values of a call that a lock refused',
    async (_, call) => {
      const [locked, free] = [await lockable(), await lockable()];
      for (const { store } of [locked, free]) await call(store, { tenant: 'none', id: 'none' });
      const refused = await locked.whileLocked(() => call(locked.store, theirs));
      expect(refused?.isErr()).toBe(true);
      expect(await outcomeOf(call, locked)).toEqual(await outcomeOf(call, free));
    },
  );

  test.each(Object.entries(calls))(
    '%s: keep no values after an error in any statement',
    async (_, call) => {
      const reference = opened(open);
      const expected = await outcomeOf(call, {
        store: await seeded(reference),
        database: reference,
      });
      const outcomes = await outcomesAfterErrors(call, () => opened(open));
      expect(outcomes.length).toBeGreaterThan(0);
      for (const outcome of outcomes) expect(outcome).toEqual(expected);
    },
  );
});

describe('a driver that keeps earlier values after an error', () => {
  test.each(Object.entries(calls))("%s never returns another tenant's rows", async (_, call) => {
    const reference = opened(openLibsql);
    const expected = await outcomeOf(call, { store: await seeded(reference), database: reference });
    const outcomes = await outcomesAfterErrors(call, () => opened(openLibsql), withOldValues);
    expect(outcomes.length).toBeGreaterThan(0);
    for (const outcome of outcomes) {
      if (outcome.error === undefined) expect(outcome).toEqual(expected);
      else
        expect(outcome.error).toMatchObject({ type: 'store_unavailable', outcome: 'not_applied' });
    }
  });
});
