import postgres from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import { appendOf, begin, beginOf, said } from '../../../src/testing/commits.js';
import { keyOf, TENANT, upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { PATIENT_MS } from '../../support/patience.js';
import { startPgBouncer } from '../../support/pgbouncer.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import { reasonToSkip, requirements } from '../../support/requirements.js';
import { openProxy } from '../../support/tcp-proxy.js';

type Settings = Parameters<typeof postgres>[1];

const key = keyOf('one');
const hello = appendOf(key, ['hello']);
const notApplied = { type: 'store_unavailable', outcome: 'not_applied' };

describe('the sql option of a PostgreSQL store', () => {
  const sql = postgres();

  it.each([
    ['without it and without a pool', {}, 'either pool or sql'],
    ['with both', { sql, pool: openPool({ url: 'postgres://127.0.0.1' }) }, 'either pool or sql'],
    ['of another form', { sql: () => undefined }, 'sql must be the function sql of the package'],
    [
      'with camelCase',
      { sql: postgres({ transform: postgres.camel }) },
      'sql must not have a transform',
    ],
    [
      'with other rows',
      { sql: postgres({ transform: { row: () => 1 } }) },
      'sql must not have a transform',
    ],
  ])('is rejected: %s', (_, options, message) => {
    expect(() => Reflect.construct(PostgresSessionStore, [options])).toThrow(TypeError);
    expect(() => Reflect.construct(PostgresSessionStore, [options])).toThrow(message);
  });

  it('may transform undefined into null', () => {
    const nulls = postgres({ transform: { undefined: null } });
    expect(() => new PostgresSessionStore({ sql: nulls })).not.toThrow();
  });
});

describeWithPostgres('a PostgreSQL store on postgres.js', (server) => {
  const open = async (url = server.url, settings: Settings = {}, timeoutMs = PATIENT_MS) => {
    const schema = schemaName();
    const sql = postgres(url, { fetch_types: false, onnotice: () => undefined, ...settings });
    onTestFinished(() => sql.end({ timeout: 0 }));
    const store = new PostgresSessionStore({ sql, schema, timeoutMs });
    (await store.migrate())._unsafeUnwrap();
    return { sql, store, schema };
  };

  it('never sends a change whose call got no connection in time', async () => {
    const { sql, store } = await open(server.url, { max: 1 }, 500);
    await begin(store, key);
    const refusal = await sql.begin(async () => (await store.change(hello))._unsafeUnwrapErr());
    expect(refusal).toMatchObject(notApplied);
    expect(await said(store, key)).toEqual([]);
    expect(await answerOf(store.change(hello))).toMatchObject({ position: 1 });
  });

  it('settles in time while the server is silent, and continues once it responds', async () => {
    const proxy = await openProxy(server.port);
    const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
    const { store } = await open(url, { max: 2 }, 1000);
    await begin(store, key);
    proxy.silence();
    expect((await store.change(hello))._unsafeUnwrapErr()).toMatchObject({ outcome: 'unknown' });
    for (const _ of upTo(3)) {
      expect((await store.find(key))._unsafeUnwrapErr()).toMatchObject(notApplied);
    }
    proxy.speak();
    await expect.poll(async () => (await store.find(key)).isOk()).toBe(true);
  });

  it('reports not_applied if no server listens or the host has ended the connection', async () => {
    const nowhere = postgres('postgres://127.0.0.1:1/postgres');
    const { sql, store } = await open();
    await sql.end();
    for (const each of [new PostgresSessionStore({ sql: nowhere }), store]) {
      expect((await each.migrate())._unsafeUnwrapErr()).toMatchObject(notApplied);
      expect((await each.find(key))._unsafeUnwrapErr()).toMatchObject(notApplied);
      expect((await each.change(hello))._unsafeUnwrapErr()).toMatchObject({
        ...notApplied,
        message: 'the pool gave no connection to PostgreSQL',
      });
    }
    await nowhere.end({ timeout: 0 });
  });

  it('reports missing tables and a wrong password as such', async () => {
    const { sql } = await open();
    const missing = await new PostgresSessionStore({ sql, schema: schemaName() }).find(key);
    expect(missing._unsafeUnwrapErr()).toMatchObject({
      type: 'misconfigured',
      message: expect.stringContaining('call migrate()'),
    });
    const stranger = postgres(server.url.replace('//postgres@', '//nobody_of_this_name@'));
    const refused = await new PostgresSessionStore({ sql: stranger }).change(hello);
    expect(refused._unsafeUnwrapErr()).toMatchObject({ type: 'misconfigured' });
    await stranger.end({ timeout: 0 });
  });

  it('reports a sequence that is behind', async () => {
    const { sql, store, schema } = await open();
    await begin(store, key);
    await sql.unsafe(`ALTER TABLE ${schema}.sessions ALTER number RESTART`);
    expect((await store.begin(beginOf(keyOf('two'))))._unsafeUnwrapErr()).toMatchObject({
      type: 'misconfigured',
      message: expect.stringContaining('sequence'),
    });
  });

  it('reads all rows over the next connection after one broke in the middle of a reply', async () => {
    let isCutting = false;
    const proxy = await openProxy(server.port, (answer, end) => {
      if (isCutting && answer.length > 10_000) end();
      return answer;
    });
    const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
    const { store } = await open(url, { max: 1 });
    const ids = upTo(50).map((at) => `s${at}`);
    for (const id of ids) {
      await begin(store, keyOf(id));
      await answerOf(store.change(appendOf(keyOf(id), ['x'.repeat(20_000)])));
    }
    isCutting = true;
    await store.page(TENANT, { offset: 0, limit: 50 });
    isCutting = false;
    for (const id of ids) {
      expect(await answerOf(store.find(keyOf(id)))).toMatchObject({ head: { id } });
    }
  });

  it('continues after the server has ended its connections', async () => {
    const { store } = await open(`${server.url}?application_name=ended`);
    await begin(store, key);
    const admin = openPool(server);
    for (const _ of upTo(3)) {
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'",
      );
      expect(await answerOf(store.find(key))).toMatchObject({ head: { id: 'one' } });
    }
    await admin.end();
  });

  it('prepares statements once per connection, unless the host forbids it', async () => {
    const PREPARED = "SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%test_%'";
    for (const [settings, least, most] of [
      [{ max: 1 }, 4, 8],
      [{ max: 1, prepare: false }, 0, 0],
    ] as const) {
      const { sql, store } = await open(server.url, settings);
      for (const at of upTo(5)) {
        await begin(store, keyOf(`s${at}`));
        await answerOf(store.change(appendOf(keyOf(`s${at}`), ['hello'])));
        await answerOf(store.find(keyOf(`s${at}`)));
        await answerOf(store.findState(keyOf(`s${at}`)));
      }
      const { length } = await sql.unsafe(PREPARED);
      expect(length).toBeGreaterThanOrEqual(least);
      expect(length).toBeLessThanOrEqual(most);
    }
  });

  it('stops preparing statements behind a pooler that does not support them', async (test) => {
    if (!requirements.pgbouncer.isMet()) test.skip(reasonToSkip(requirements.pgbouncer));
    const bouncer = await startPgBouncer(server);
    const { sql, store } = await open(bouncer.url, { max: 8 });
    const ids = upTo(200).map((at) => `s${at}`);
    await Promise.all(
      ids.map(async (id) => {
        await begin(store, keyOf(id));
        await answerOf(store.change(appendOf(keyOf(id), ['hello'])));
        expect((await answerOf(store.find(keyOf(id))))?.history).toHaveLength(1);
        await answerOf(store.page(TENANT, { offset: 0, limit: 1 }));
      }),
    );
    const counts = await Promise.all(
      upTo(8).map(() => sql.unsafe('SELECT count(*)::int AS count FROM pg_prepared_statements')),
    );
    await sql.end();
    await bouncer.stop();
    for (const [row] of counts) expect(row?.['count']).toBeLessThan(60);
  });
});
