import { Pool } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { type PostgresPool, PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { planRemove } from '../../../src/plan/remove.js';
import {
  append,
  appendOf,
  begin,
  beginOf,
  put,
  putOf,
  remove,
} from '../../../src/testing/commits.js';
import { keyOf, live, NOON, operationOf } from '../../../src/testing/samples.js';
import { documentOf } from '../../readme/documents.js';
import { blocksIn } from '../../readme/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { freePort } from '../../support/free-port.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';

const key = { tenant: 'acme', id: 'one' };
const hello = appendOf(key, ['hello'], { operation: operationOf('op') });
const notApplied = { type: 'store_unavailable', outcome: 'not_applied' };

/** Every method of a store that needs its tables. */
const operations = (store: PostgresSessionStore) => [
  store.begin(beginOf(keyOf('one'))),
  store.find(key),
  store.findState(key),
  store.page('acme', { offset: 0, limit: 10 }),
  store.change(putOf(key, live('PAUSED', { revision: 2 }), live('ACTIVE'))),
  store.change(hello),
  store.entries(key, { limit: 10 }),
  store.remove(planRemove(key, NOON)),
  store.due(NOON, 10),
  store.change({ key, guards: { dueAt: NOON }, effects: { dueAt: NOON + 1 } }),
  store.events?.latest(''),
  store.events?.read('', '0', 10),
];

describe('PostgresSessionStore', () => {
  it('throws a TypeError that names every wrong option', () => {
    const options = {
      pool: {},
      schema: 'Drop "it"',
      timeoutMs: 0,
      events: { length: 0, listen: 1, size: 3 },
    };
    // @ts-expect-error A host without types may pass anything.
    const make = () => new PostgresSessionStore(options);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(
      /pool must be a pool.*schema must be.*timeoutMs must be.*events\.length must be.*events\.listen must be/,
    );
    expect(make).toThrow(/events\.size is unknown/);
  });

  it('fails every operation with not_applied if no server runs', async () => {
    const pool = openPool({ url: `postgres://postgres@127.0.0.1:${await freePort()}/postgres` });
    for (const answer of operations(new PostgresSessionStore({ pool, events: true }))) {
      expect((await answer)?._unsafeUnwrapErr()).toMatchObject(notApplied);
    }
    expect((await new PostgresSessionStore({ pool }).migrate())._unsafeUnwrapErr()).toMatchObject(
      notApplied,
    );
    await pool.end();
  });

  it('listens once per pool, however many stores use the pool', () => {
    const pool = new Pool();
    for (let count = 0; count < 12; count += 1) new PostgresSessionStore({ pool });
    expect(pool.listenerCount('connect')).toBe(1);
  });

  it('fails with not_applied at the timeout if the pool returns no connection, and later releases a late one', async () => {
    let released = 0;
    let give = (): void => undefined;
    const client = { query: async () => ({ rows: [] }), release: () => (released += 1) };
    const pool: PostgresPool = {
      connect: () => new Promise((resolve) => (give = () => resolve(client))),
    };
    const store = new PostgresSessionStore({ pool, timeoutMs: 20 });
    expect((await store.change(hello))._unsafeUnwrapErr()).toMatchObject({
      ...notApplied,
      message: expect.stringContaining('in time'),
    });
    give();
    await expect.poll(() => released).toBe(1);
  });

  it('leaves a write not_applied if the pool returns no further connection', async () => {
    let given = 0;
    const client = { query: async () => ({ rows: [] }), release: () => undefined };
    const pool: PostgresPool = {
      connect: async () => {
        given += 1;
        return given === 1 ? client : new Promise<never>(() => undefined);
      },
    };
    const store = new PostgresSessionStore({ pool, timeoutMs: 50 });
    expect((await store.reportsEnds())._unsafeUnwrap()).toBe(false);
    expect((await store.change(hello))._unsafeUnwrapErr()).toMatchObject(notApplied);
  });

  it('leaves a write unknown at the timeout if its connection does not respond, and closes that', async () => {
    const released: unknown[] = [];
    const query = async (text: string) =>
      text.includes('.meta') ? { rows: [] } : new Promise(() => undefined);
    const client = { query, release: (destroy: unknown) => released.push(destroy) };
    const store = new PostgresSessionStore({
      pool: { connect: async () => client },
      timeoutMs: 1000,
    });
    expect((await store.change(hello))._unsafeUnwrapErr()).toMatchObject({
      outcome: 'unknown',
    });
    expect((await store.find(key))._unsafeUnwrapErr()).toMatchObject(notApplied);
    expect(released).toEqual([false, true, true]);
  });
});

describeWithPostgres('PostgresSessionStore on a server', (postgres) => {
  const pool = openPool(postgres);
  afterAll(() => pool.end());

  const opened = async (schema = schemaName(), on: PostgresPool = pool) => {
    const store = new PostgresSessionStore({ pool: on, schema, events: true });
    (await store.migrate())._unsafeUnwrap();
    return { store, schema };
  };
  const openedWithOne = async () => {
    const made = await opened();
    await begin(made.store, keyOf('one'));
    return made;
  };

  it('counts no live sessions, and locks no tenant, for a change without a limit', async () => {
    const { store, schema } = await openedWithOne();
    await pool.query(`ALTER FUNCTION ${schema}.live_sessions RENAME TO count_nobody`);
    await put(store, key, live('PAUSED', { revision: 2 }));
    const guards = { live: { sessions: 1, now: NOON } };
    const limited = await store.change(
      putOf(key, live('ACTIVE', { revision: 3 }), live('PAUSED'), guards),
    );
    expect(limited._unsafeUnwrapErr()).toMatchObject({ cause: { code: '42883' } });
  });

  it('fails with a hint to call migrate if tables and functions are older', async () => {
    const misconfigured = { type: 'misconfigured', message: expect.stringContaining('migrate()') };
    const { store, schema } = await openedWithOne();
    await pool.query(`ALTER ROUTINE ${schema}.commit_all RENAME TO change_before`);
    const refused = (await store.change(hello))._unsafeUnwrapErr();
    expect(refused).toMatchObject({ ...misconfigured, cause: { code: '42883' } });
    await pool.query(`ALTER TABLE ${schema}.sessions RENAME COLUMN state TO state_before`);
    expect((await store.findState(key))._unsafeUnwrapErr()).toMatchObject(misconfigured);
  });

  it('migrates concurrently and repeatedly from several processes, and keeps stored sessions', async () => {
    const schema = schemaName();
    await Promise.all(Array.from({ length: 8 }, () => opened(schema)));
    const { store } = await opened(schema);
    await begin(store, key);
    expect((await opened(schema)).store).toBeDefined();
    expect((await store.find(key))._unsafeUnwrap()?.head.id).toBe('one');
  });

  it('creates no tables in a database that is not UTF8', async () => {
    const name = schemaName();
    await pool.query(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`);
    const other = openPool({ url: postgres.url.replace(/postgres$/, name) });
    const error = (await new PostgresSessionStore({ pool: other }).migrate())._unsafeUnwrapErr();
    await other.end();
    expect(error).toMatchObject({
      type: 'misconfigured',
      message: expect.stringContaining('UTF8'),
    });
  });

  it('works with tables of a compatible later version, and reports an incompatible one', async () => {
    const { store, schema } = await openedWithOne();
    await pool.query(`UPDATE ${schema}.meta SET value = 2 WHERE name = 'version'`);
    expect((await store.migrate()).isOk()).toBe(true);
    expect((await store.change(hello))._unsafeUnwrap()).toMatchObject({ outcome: 'made' });
    const changed = new PostgresSessionStore({ pool, schema });
    expect((await changed.migrate({ reconfigure: true })).isOk()).toBe(true);
    await pool.query(`UPDATE ${schema}.meta SET value = 2 WHERE name = 'usable_from'`);
    expect((await store.migrate({ reconfigure: true })).isErr()).toBe(true);
    expect((await changed.find(key)).isOk(), 'its settings stay').toBe(true);
    expect((await store.migrate())._unsafeUnwrapErr()).toMatchObject({
      type: 'misconfigured',
      message:
        'a later version of Colloquy made the tables: version 2, which needs 2 or later; this one knows 1',
    });
  });

  it('works with the documented rights, which do not allow it to create tables', async () => {
    const { schema } = await openedWithOne();
    const role = schemaName();
    const grants = blocksIn(documentOf('docs/postgres.md'), 'sql').map(({ code }) => code);
    expect(grants).toHaveLength(2);
    const sql = grants
      .join('')
      .replaceAll('TO app', `TO ${role}`)
      .replaceAll('SCHEMA colloquy', `SCHEMA ${schema}`);
    await pool.query(
      `CREATE ROLE ${role} LOGIN; REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA ${schema} FROM PUBLIC; ${sql}`,
    );
    const limited = openPool({ url: postgres.url.replace('postgres@', `${role}@`) });
    try {
      const { store } = await opened(schema, limited);
      for (const answer of operations(store).slice(1)) expect((await answer)?.isOk()).toBe(true);
      await begin(store, keyOf('two'));
      const elsewhere = new PostgresSessionStore({ pool: limited, schema: schemaName() });
      expect((await elsewhere.migrate())._unsafeUnwrapErr()).toMatchObject({
        type: 'misconfigured',
        message: expect.stringContaining('lacks a privilege'),
      });
    } finally {
      await limited.end();
    }
  });

  it('works if every transaction is serializable by default', async () => {
    const { schema } = await openedWithOne();
    const strict = new Pool({
      connectionString: postgres.url,
      options: '-c default_transaction_isolation=serializable',
    });
    const { store } = await opened(schema, strict);
    const calls = Array.from({ length: 5 }, (_, at) => store.change(appendOf(key, [`${at}`])));
    const results = await Promise.all(calls);
    await strict.end();
    expect(results.map((result) => result._unsafeUnwrap().outcome)).toEqual(
      calls.map(() => 'made'),
    );
  });

  it('rejects writes with not_applied, and serves reads, in a read-only database', async () => {
    const { schema } = await openedWithOne();
    const standby = new Pool({
      connectionString: postgres.url,
      options: '-c default_transaction_read_only=on',
    });
    const { store } = await opened(schema, standby);
    const error = (await store.change(hello))._unsafeUnwrapErr();
    const found = await store.find(key);
    await standby.end();
    expect(error).toMatchObject({ ...notApplied, message: 'the database is read-only' });
    expect(found._unsafeUnwrap()?.head.id).toBe('one');
  });

  it('keeps each total equal to the sessions counted during 32 concurrent creates, removals and label changes', async () => {
    const { store, schema } = await opened();
    const ids = Array.from({ length: 64 }, (_, at) => `s${at}`);
    const labels = { plan: 'free', team: 'a', user: 'u-1' };
    await Promise.all(
      ids.map((id) => begin(store, keyOf(id), { state: live('IDLE', { labels }) })),
    );
    const half = ids.slice(32);
    await Promise.all([
      ...half.map((id) => remove(store, keyOf(id))),
      ...ids
        .slice(0, 16)
        .map((id) => put(store, keyOf(id), live('ACTIVE', { revision: 2, labels }))),
      ...ids.slice(16, 32).map((id, at) => {
        const others = { plan: 'paid', team: at % 2 === 0 ? 'a' : 'b', user: 'u-1' };
        return put(store, keyOf(id), live('IDLE', { revision: 2, labels: others }));
      }),
    ]);
    const { rows } = await pool.query(
      `SELECT name, value, sum(sessions)::int AS sessions FROM ${schema}.totals GROUP BY name, value ORDER BY name, value`,
    );
    expect(rows).toEqual([
      { name: '', value: 'ACTIVE', sessions: 16 },
      { name: '', value: 'IDLE', sessions: 16 },
      { name: 'plan', value: 'free', sessions: 16 },
      { name: 'plan', value: 'paid', sessions: 16 },
      { name: 'team', value: 'a', sessions: 24 },
      { name: 'team', value: 'b', sessions: 8 },
      { name: 'user', value: 'u-1', sessions: 32 },
    ]);
  });

  it('reads a large session completely or reports it as too large during concurrent appends', async () => {
    const { store } = await openedWithOne();
    const long = ['x'.repeat(200_000), 'y'.repeat(200_000)];
    await append(store, key, long);
    const range = { offset: 0, limit: 10, maxBytes: 600_000 };
    const [page] = await Promise.all([store.page('acme', range), append(store, key, long)]);
    if (page.isOk()) expect(page.value.records[0]?.history.length).toBe(2);
    else expect(page.error).toMatchObject({ type: 'too_large', sessions: 1 });
    const larger = (await store.page('acme', range))._unsafeUnwrapErr();
    expect(larger.type === 'too_large' && larger.bytes).toBeGreaterThan(800_000);
  });
});
