import { describe, expect, it } from 'vitest';
import type { PostgresPool } from '../../../adapters/postgres/index.js';
import { asTodaysStore } from '../../../src/testing/as-todays-store.js';
import {
  headOf,
  keyOf,
  live,
  NOON,
  operationOf,
  say,
  TENANT,
  upTo,
} from '../../../src/testing/samples.js';
import { answerOf, said } from '../../../src/testing/steps.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import { TodaysPostgresStore } from '../../support/todays-postgres-store.js';

const CALLERS = 40;

describeWithPostgres('changes in PostgreSQL that arrive together', (postgres) => {
  const pool = openPool(postgres);

  /**
   * A pool that counts the statements of groups that do not begin with an insert, and may answer
   * them in another way.
   */
  const counting = (answer = (run: () => Promise<unknown>): Promise<unknown> => run()) => {
    const groups: number[] = [];
    const counted: PostgresPool = {
      connect: async () => {
        const client = await pool.connect();
        const query = (text: string, values?: unknown[]) => {
          const run = () => client.query(text, values);
          if (!/^CALL .*commit_all/.test(text)) return run();
          const kinds: string[] = JSON.parse(String(values?.[1])).map(
            ({ kind }: { kind: string }) => kind,
          );
          if (kinds[0] === 'begin') return run();
          groups.push(kinds.length);
          return answer(run);
        };
        return { query, release: (destroy) => client.release(destroy) };
      },
    };
    return { groups, counted };
  };

  const open = async (on: PostgresPool, schema = schemaName(), timeoutMs = 5000) => {
    const store = new TodaysPostgresStore({ pool: on, schema, timeoutMs });
    (await store.migrate())._unsafeUnwrap();
    return store;
  };
  const started = async (store: TodaysPostgresStore, ...ids: readonly string[]) => {
    for (const id of ids) await answerOf(store.insert(TENANT, headOf(id), live('ACTIVE')));
  };
  const append = (store: TodaysPostgresStore, id: string, text: string) =>
    store.append(keyOf(id), { entries: [say(text)], now: NOON, operation: operationOf(text) });

  it('share a statement, whatever they change, and are made in their order in each session', async () => {
    const { groups, counted } = counting();
    const store = await open(counted);
    await started(store, 'a');
    const next = live('ACTIVE', { revision: 2, labels: { plan: 'free' } });
    const changes = [
      append(store, 'a', 'hello'),
      store.insert(TENANT, headOf('b'), live('IDLE')),
      store.insert(TENANT, headOf('b'), live('IDLE')),
      append(store, 'b', 'too early'),
      store.replace(keyOf('b'), live('IDLE'), next),
      append(store, 'b', 'in time'),
      store.replace(keyOf('b'), live('IDLE'), live('PAUSED', { revision: 3 })),
      store.replace(keyOf('nobody'), live('IDLE'), next),
    ];
    const answers = await Promise.all(changes.map((each) => each));
    const outcomes = answers
      .map((each) => each._unsafeUnwrap())
      .map((each) => Object(each).outcome ?? each);
    const ofB = ['inserted', 'taken', 'closed', 'replaced', 'appended', 'stale'];
    expect(outcomes).toEqual(['appended', ...ofB, 'missing']);
    expect(groups).toEqual([changes.length]);
    expect(await said(asTodaysStore(store), keyOf('b'))).toEqual(['in time']);
    const labelled = await answerOf(
      store.list(TENANT, { offset: 0, limit: 10, labels: { plan: 'free' } }),
    );
    expect(labelled.total).toBe(1);
  });

  it('are made in their order in each session, even if they are more than a group takes', async () => {
    const { groups, counted } = counting();
    const store = await open(counted, schemaName(), PATIENT_MS);
    await started(store, 'a', 'b', 'c');
    const texts = upTo(300).map((at) => `${at}`);
    const calls = texts.flatMap((text) => ['a', 'b', 'c'].map((id) => append(store, id, text)));
    for (const each of calls) expect(await answerOf(each)).toMatchObject({ outcome: 'appended' });
    expect(groups.length).toBeGreaterThan(5);
    for (const id of ['a', 'b', 'c'])
      expect(await said(asTodaysStore(store), keyOf(id))).toEqual(texts);
  });

  it('never exceed a limit of ACTIVE sessions, whether they share a group or come from several processes', async () => {
    const schema = schemaName();
    const stores = [await open(pool, schema, PATIENT_MS), await open(pool, schema, PATIENT_MS)];
    const cap = { sessions: 10, now: NOON };
    const ids = upTo(30).map((at) => `s${at}`);
    const calls = stores.flatMap((store, at) =>
      ids.map(async (name) => {
        const id = `${name}-${at}`;
        if (name.endsWith('0')) {
          return store.insert(TENANT, headOf(id), live('ACTIVE'), { entries: [], cap: cap });
        }
        await answerOf(store.insert(TENANT, headOf(id), live('IDLE')));
        return store.replace(keyOf(id), live('IDLE'), live('ACTIVE', { revision: 2 }), { cap });
      }),
    );
    const outcomes = (await Promise.all(calls)).map((each) => each._unsafeUnwrap());
    expect(outcomes.filter((each) => each === 'too_many')).toHaveLength(50);
    const status = { anyOf: ['ACTIVE'], now: NOON } as const;
    const [store] = stores;
    const page = store && (await answerOf(store.list(TENANT, { offset: 0, limit: 1, status })));
    expect(page?.total).toBe(10);
  });

  it.each(['a', 'z'])(
    'hold no fork whose source has changed, whichever id comes first: %s',
    async (source) => {
      const schema = schemaName();
      const store = await open(pool, schema, PATIENT_MS);
      await started(store, source);
      const versionNow = async () => {
        const slice = await answerOf(store.findEntries(keyOf(source), { limit: 1 }));
        return slice.outcome === 'found' ? slice.version : '';
      };
      let version = await versionNow();
      const fork = (id: string) => {
        const opening = { entries: [say('hi')], source: { id: source, version } };
        return store.insert(TENANT, headOf(id), live('IDLE'), opening);
      };
      expect(await answerOf(fork('m'))).toBe('inserted');
      await answerOf(append(store, source, 'hello'));
      await answerOf(store.append(keyOf(source), { entries: [], after: 0, now: NOON }));
      expect(await answerOf(fork('n'))).toBe('source_changed');
      const other = await pool.connect();
      await other.query('BEGIN');
      await other.query(
        `UPDATE ${schema}.sessions SET redactions = redactions + 1 WHERE id = '${source}'`,
      );
      version = await versionNow();
      const waiting = fork('n');
      const isWaiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%commit_all%'`;
      await expect
        .poll(async () => (await pool.query(isWaiting)).rowCount, { timeout: PATIENT_MS })
        .toBe(1);
      await other.query('COMMIT');
      other.release();
      expect(await answerOf(waiting)).toBe('source_changed');
      expect(await answerOf(store.find(keyOf('n')))).toBeUndefined();
      expect((await answerOf(store.list(TENANT, { offset: 0, limit: 1 }))).total).toBe(2);
    },
  );

  it('share a statement, and keep their order in each session', async () => {
    const { groups, counted } = counting();
    const store = await open(counted);
    await started(store, 'a', 'b');
    const calls = upTo(CALLERS).map((at) => append(store, at % 2 === 0 ? 'a' : 'b', `${at}`));
    for (const each of calls) expect(await answerOf(each)).toMatchObject({ outcome: 'appended' });
    expect(groups).toEqual([CALLERS]);
    expect(await said(asTodaysStore(store), keyOf('a'))).toEqual(
      upTo(CALLERS / 2).map((at) => `${2 * at}`),
    );
  });

  it('of which one cannot be made do not spoil the others', async () => {
    const { counted } = counting();
    const store = await open(counted);
    await started(store, 'good');
    const texts = upTo(9).map((at) => `${at}`);
    const calls = texts.map((text) => append(store, 'good', text));
    const missing = append(store, 'nobody', 'hello');
    const created = store.insert(TENANT, headOf('new'), live('IDLE'));
    // A time that no column takes makes the whole statement fail.
    const broken = store.append(keyOf('good'), { entries: [say('x')], now: Number.NaN });
    const wrong = store.insert(TENANT, { ...headOf('wrong'), createdAt: 'at noon' }, live('IDLE'));
    expect(await answerOf(missing)).toEqual({ outcome: 'missing' });
    expect(await answerOf(created)).toBe('inserted');
    expect((await wrong)._unsafeUnwrapErr()).toMatchObject({ outcome: 'not_applied' });
    for (const each of calls) expect(await answerOf(each)).toMatchObject({ outcome: 'appended' });
    await broken;
    expect(
      (await said(asTodaysStore(store), keyOf('good')))?.filter((text) => text !== 'x'),
    ).toEqual(texts);
  });

  it('are unknown, each of them, if the answer is lost, and are recognised when they are sent again', async () => {
    let isLost = true;
    const { counted } = counting(async (run) => {
      const answer = await run();
      if (isLost) return new Promise(() => undefined);
      return answer;
    });
    const store = await open(counted, schemaName(), 1000);
    await started(store, 'one');
    const send = () => Promise.all(upTo(5).map((at) => append(store, 'one', `${at}`)));
    const unknown = { type: 'store_unavailable', outcome: 'unknown' };
    const replaced = store.replace(keyOf('one'), live('ACTIVE'), live('ACTIVE', { revision: 2 }));
    for (const each of await send()) expect(each._unsafeUnwrapErr()).toMatchObject(unknown);
    expect((await replaced)._unsafeUnwrapErr()).toMatchObject(unknown);
    isLost = false;
    for (const each of await send()) expect(each._unsafeUnwrap()).toMatchObject({ repeated: true });
    expect(await said(asTodaysStore(store), keyOf('one'))).toHaveLength(5);
  });

  it('of two processes lock the same sessions in one order, and none fails', async () => {
    const schema = schemaName();
    const stores = [await open(pool, schema), await open(pool, schema)];
    const ids = upTo(8).map((at) => `s${at}`);
    await started(stores[0] ?? (await open(pool)), ...ids);
    for (const round of upTo(20)) {
      const orders = [ids, ids.toReversed()];
      const calls = stores.flatMap((store, at) =>
        (orders[at] ?? []).map((id) => append(store, id, `${round}-${at}`)),
      );
      for (const each of calls) expect(await answerOf(each)).toMatchObject({ outcome: 'appended' });
    }
  });

  it('that come alone leave at once, each in a statement of its own', async () => {
    const { groups, counted } = counting();
    const store = await open(counted);
    await started(store, 'one');
    for (const at of upTo(3)) await answerOf(append(store, 'one', `${at}`));
    expect(groups).toEqual([1, 1, 1]);
  });
});

describe('an append to a database that does not answer', () => {
  it('is not applied if it has not left by its timeout', async () => {
    const silent: PostgresPool = { connect: () => new Promise(() => undefined) };
    const store = new TodaysPostgresStore({ pool: silent, timeoutMs: 50 });
    const append = await store.append(keyOf('one'), { entries: [say('hello')], now: NOON });
    expect(append._unsafeUnwrapErr()).toMatchObject({
      type: 'store_unavailable',
      outcome: 'not_applied',
    });
  });
});
