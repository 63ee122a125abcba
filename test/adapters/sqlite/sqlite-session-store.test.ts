import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { planRemove } from '../../../src/plan/remove.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { append, appendOf, begin, beginOf, putOf } from '../../../src/testing/commits.js';
import { keyOf, live, NOON, operationOf, upTo } from '../../../src/testing/samples.js';
import { openLibsql, sqliteFile } from '../../support/sqlite-file.js';
import { openedStore, withCommit } from './opened-store.js';

const key = { tenant: 'acme', id: 'one' };
const hello = appendOf(key, ['hello'], { operation: operationOf('op') });
const notApplied = { type: 'store_unavailable', outcome: 'not_applied' };

/** Every method of a store that needs its tables. */
const operations = (store: SessionStore) => [
  store.begin(beginOf(keyOf('one'))),
  store.find(key),
  store.findState(key),
  store.page('acme', { offset: 0, limit: 10 }),
  store.change(putOf(key, live('PAUSED', { revision: 2 }))),
  store.change(hello),
  store.entries(key, { limit: 10 }),
  store.remove(planRemove(key, NOON)),
  store.due(NOON, 10),
  store.change({ key, guards: { dueAt: NOON }, effects: { dueAt: NOON + 1 } }),
  store.events?.latest(''),
  store.events?.read('', '0', 10),
];

describe('SqliteSessionStore', () => {
  let file: string;
  let remove: () => void;
  let database: ReturnType<typeof openLibsql>;
  beforeEach(() => {
    ({ file, remove } = sqliteFile());
    database = openLibsql(file);
  });
  afterEach(() => {
    if (database.open) database.close();
    remove();
  });

  it('throws a TypeError that names every wrong option', () => {
    const options = { database: { exec: () => undefined }, events: { length: 0, size: 3 } };
    // @ts-expect-error A host without types may pass anything.
    const make = () => new SqliteSessionStore(options);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/database must be an open connection.*events\.length must be/);
    expect(make).toThrow(/events\.size is unknown/);
  });

  it.each([
    [0, 5000],
    [1, 1],
    [9000, 9000],
  ])(
    "waits for another connection's lock: its first call turns busy_timeout = %i into %i",
    async (given, then) => {
      database.exec(`PRAGMA busy_timeout = ${given}`);
      const store = new SqliteSessionStore({ database });
      store.findState(key);
      expect(database.prepare('PRAGMA busy_timeout').all()).toEqual([{ timeout: then }]);
      database.exec('PRAGMA busy_timeout = 0');
      (await store.migrate())._unsafeUnwrap();
      expect(database.prepare('PRAGMA busy_timeout').all(), 'what the host sets later').toEqual([
        { timeout: 0 },
      ]);
    },
  );

  it('fails with a hint to call migrate if tables are older', async () => {
    const store = await openedStore(database);
    database.exec('ALTER TABLE colloquy_sessions RENAME COLUMN state TO state_before');
    for (const answer of [store.findState(key), store.change(hello)]) {
      expect((await answer)._unsafeUnwrapErr()).toMatchObject({
        type: 'misconfigured',
        message: expect.stringContaining('migrate()'),
        cause: expect.any(Error),
      });
    }
  });

  it('fails with not_applied while the file is locked, and works afterwards', async () => {
    const store = await openedStore(database);
    database.exec('PRAGMA busy_timeout = 0');
    const other = openLibsql(file);
    other.exec('BEGIN IMMEDIATE');
    expect((await store.change(hello))._unsafeUnwrapErr()).toMatchObject({
      ...notApplied,
      message: expect.stringContaining('locked'),
    });
    expect(store.find(key).isOk(), 'a read during a write').toBe(true);
    other.exec('ROLLBACK');
    other.close();
    expect((await store.change(hello))._unsafeUnwrap()).toEqual({ outcome: 'made', position: 1 });
  });

  it('fails with not_applied on a full disk, and stores nothing of the call', async () => {
    const store = await openedStore(database);
    const pages = Number(Object.values(database.prepare('PRAGMA page_count').get() as object)[0]);
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const large = appendOf(key, ['first', 'x'.repeat(1_000_000)]);
    expect((await store.change(large))._unsafeUnwrapErr()).toMatchObject(notApplied);
    database.exec('PRAGMA max_page_count = 100000');
    expect(store.find(key)._unsafeUnwrap()).toMatchObject({ history: [], sequence: 1 });
    expect((await store.change(large))._unsafeUnwrap()).toEqual({ outcome: 'made', position: 2 });
  });

  it('reports not_applied if COMMIT finds the file locked, and unknown after any other COMMIT failure', async () => {
    let code = '';
    const store = await openedStore(
      withCommit(database, (commit) => {
        if (code === '') commit();
        else throw Object.assign(new Error('from the driver'), { code });
      }),
    );
    code = 'SQLITE_BUSY';
    expect((await store.change(hello))._unsafeUnwrapErr()).toMatchObject(notApplied);
    code = 'SQLITE_IOERR';
    expect((await store.change(hello))._unsafeUnwrapErr()).toMatchObject({
      type: 'store_unavailable',
      outcome: 'unknown',
    });
    expect(store.find(key)._unsafeUnwrapErr(), 'a read').toMatchObject(notApplied);
    code = '';
    expect((await store.change(hello))._unsafeUnwrap()).toEqual({ outcome: 'made', position: 1 });
    expect(store.find(key)._unsafeUnwrap()?.sequence).toBe(2);
  });

  it('recognises a repeated append whose reply was lost', async () => {
    let isLost = false;
    const store = await openedStore(
      withCommit(database, (commit) => {
        commit();
        if (isLost) throw new Error('disk I/O error');
      }),
    );
    isLost = true;
    expect((await store.change(hello))._unsafeUnwrapErr()).toMatchObject({
      outcome: 'unknown',
    });
    isLost = false;
    expect((await store.change(hello))._unsafeUnwrap()).toEqual({
      outcome: 'repeated',
      position: 1,
    });
    expect(store.find(key)._unsafeUnwrap()?.history).toHaveLength(1);
  });

  it("leaves the host's own transaction on the connection alone", async () => {
    const store = await openedStore(database);
    database.exec('CREATE TABLE own (value); BEGIN; INSERT INTO own VALUES (1)');
    expect((await store.change(hello))._unsafeUnwrapErr()).toMatchObject(notApplied);
    database.exec('COMMIT');
    expect(database.prepare('SELECT count(*) AS count FROM own').get()).toMatchObject({ count: 1 });
  });

  it('removes everything of a session from every table', async () => {
    const store = await openedStore(database);
    await begin(store, keyOf('two'), { state: live('ACTIVE', { labels: { user: 'u-1' } }) });
    for (const id of ['one', 'two']) {
      await append(store, keyOf(id), ['hello']);
      (await store.remove(planRemove(keyOf(id), NOON)))._unsafeUnwrap();
    }
    for (const table of ['sessions', 'heads', 'entries', 'operations', 'labels', 'totals']) {
      const rows = database.prepare(`SELECT * FROM colloquy_${table}`).all();
      expect(rows, table).toEqual([]);
    }
  });

  it('keeps as many events as configured, and reports that older ones are lost', async () => {
    const store = new SqliteSessionStore({ database, events: { length: 3 } });
    (await store.migrate())._unsafeUnwrap();
    const read = (position: string) => store.events?.read('', position, 10)._unsafeUnwrap();
    expect(read('0')).toEqual({ events: [], position: '0', isTrimmed: false });
    const places: string[] = [];
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      await begin(store, keyOf(id), { state: live('IDLE') });
      places.push(store.events?.latest()._unsafeUnwrap() ?? '');
    }
    expect(read('0')?.events.map(({ sessionId }) => sessionId)).toEqual(['c', 'd', 'e']);
    expect(read('0')?.isTrimmed).toBe(true);
    const areTrimmed = places.map((place) => read(place)?.isTrimmed);
    expect(areTrimmed).toEqual([true, true, false, false, false]);
  });

  it('reports lost events if a restored log has used the number of a trimmed one again', async () => {
    const store = new SqliteSessionStore({ database, events: { length: 2 } });
    (await store.migrate())._unsafeUnwrap();
    await begin(store, keyOf('lost'), { state: live('IDLE') });
    const place = store.events?.latest()._unsafeUnwrap() ?? '';
    database.exec('UPDATE colloquy_events SET ms = ms + 1');
    for (const id of ['a', 'b']) await begin(store, keyOf(id), { state: live('IDLE') });
    expect(store.events?.read('', place, 10)._unsafeUnwrap().isTrimmed).toBe(true);
  });

  it('lets a long log exceed its length a little, so that not every change removes an event', async () => {
    const store = new SqliteSessionStore({ database, events: { length: 300 } });
    (await store.migrate())._unsafeUnwrap();
    const kept: number[] = [];
    for (const at of upTo(400)) {
      await begin(store, keyOf(`${at}`), { state: live('IDLE') });
      kept.push(store.events?.read('', '0', 1000)._unsafeUnwrap().events.length ?? 0);
    }
    expect(kept.slice(0, 300)).toEqual(upTo(300).map((at) => at + 1));
    const later = kept.slice(300);
    expect([Math.min(...later), Math.max(...later)]).toEqual([300, 303]);
  });

  it('reads the events of a session or tenant from an index, not past all others', async () => {
    const store = await openedStore(database);
    (await store.change(hello))._unsafeUnwrap();
    for (let at = 0; at < 20; at += 1)
      await begin(store, keyOf(`${at}`, 'other'), { state: live('IDLE') });
    const latest = store.events?.latest()._unsafeUnwrap();
    for (const sessionId of ['one', undefined]) {
      const page = store.events?.read('', '0', 5, { tenant: 'acme', sessionId })._unsafeUnwrap();
      expect(page?.events.map(({ sequence }) => sequence)).toEqual([1, 2]);
      expect(page?.position, 'it goes on after all others').toBe(latest);
    }
    const none = store.events
      ?.read('', '0', 5, { tenant: 'acme', sessionId: 'nobody' })
      ._unsafeUnwrap();
    expect(none).toEqual({ events: [], position: latest, isTrimmed: false });
  });

  it('reports a closed connection in calls and in events', async () => {
    const store = await openedStore(database);
    expect(store.events?.isClosed()).toBe(false);
    database.close();
    for (const answer of operations(store))
      expect((await answer)?._unsafeUnwrapErr()).toMatchObject(notApplied);
    expect(store.events?.isClosed()).toBe(true);
  });

  it.each(['newest', 'oldest'] as const)(
    'reads every list and all events from an index, %s first',
    async (order) => {
      const texts = new Set<string>();
      const store = await openedStore({
        exec: (sql) => database.exec(sql),
        prepare: (sql) => {
          texts.add(sql.replace(/\s+/g, ' ').trim());
          return database.prepare(sql);
        },
      });
      const range = {
        offset: 0,
        limit: 10,
        order,
        cursor: { id: 'x', at: new Date(NOON).toISOString() },
      };
      store.page('acme', range)._unsafeUnwrap();
      store.page('acme', { ...range, labels: { user: 'u-1' } })._unsafeUnwrap();
      store.page('acme', { ...range, status: { anyOf: ['ACTIVE'], now: NOON } })._unsafeUnwrap();
      store
        .page('acme', { ...range, createdAfter: new Date(NOON - 1).toISOString() })
        ._unsafeUnwrap();
      store.due(NOON, 10)._unsafeUnwrap();
      store.events?.read('', '0', 10)._unsafeUnwrap();
      store.events?.read('', '0', 10, { tenant: 'acme', sessionId: undefined })._unsafeUnwrap();
      store.events?.read('', '0', 10, { tenant: 'acme', sessionId: 'one' })._unsafeUnwrap();
      const plans = [...texts].filter((sql) => sql.startsWith('SELECT') && sql.includes('WHERE'));
      expect(plans.length).toBeGreaterThan(8);
      for (const sql of plans) {
        const values = Array.from(sql.matchAll(/\?/g), () => 0);
        const plan = JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values));
        expect(plan, sql).not.toMatch(/SCAN colloquy|TEMP B-TREE/);
        if (sql.includes('events WHERE tenant = ? AND ms'))
          expect(plan, sql).toContain('(tenant=? AND ms>?)');
        if (sql.includes('events WHERE tenant = ? AND id'))
          expect(plan, sql).toContain('(tenant=? AND id=? AND ms>?)');
      }
    },
  );
});
