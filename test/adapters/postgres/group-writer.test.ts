import { describe, expect, it } from 'vitest';
import { type PostgresPool, PostgresSessionStore } from '../../../adapters/postgres/index.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { headOf, keyOf, live, NOON, operationOf, say, TENANT, upTo } from '../../../src/testing/samples.js';
import { answerOf, said } from '../../../src/testing/steps.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';

const CALLERS = 40;

describeWithPostgres('appends to PostgreSQL that arrive together', (postgres) => {
  const pool = openPool(postgres);

  /** A pool that counts the statements with appends, and may answer them in another way. */
  const counting = (answer = (run: () => Promise<unknown>): Promise<unknown> => run()) => {
    const groups: number[] = [];
    const counted: PostgresPool = {
      connect: async () => {
        const client = await pool.connect();
        const query = (text: string, values?: unknown[]) => {
          const run = () => client.query(text, values);
          if (!/^CALL .*change_all/.test(text)) return run();
          const kinds: string[] = JSON.parse(String(values?.[0])).map(({ kind }: { kind: string }) => kind);
          if (kinds[0] === 'insert') return run();
          groups.push(kinds.length);
          return answer(run);
        };
        return { query, release: (destroy) => client.release(destroy) };
      },
    };
    return { groups, counted };
  };

  const open = async (on: PostgresPool, schema = schemaName(), timeoutMs = 5000) => {
    const store = new PostgresSessionStore({ pool: on, schema, timeoutMs });
    (await store.migrate())._unsafeUnwrap();
    return store;
  };
  const started = async (store: SessionStore, ...ids: readonly string[]) => {
    for (const id of ids) await answerOf(store.insert(TENANT, headOf(id), live('ACTIVE')));
  };
  const append = (store: SessionStore, id: string, text: string) =>
    store.append(keyOf(id), { entries: [say(text)], now: NOON, operation: operationOf(text) });

  it('share a statement, and keep their order in each session', async () => {
    const { groups, counted } = counting();
    const store = await open(counted);
    await started(store, 'a', 'b');
    const calls = upTo(CALLERS).map((at) => append(store, at % 2 === 0 ? 'a' : 'b', `${at}`));
    for (const each of calls) expect(await answerOf(each)).toMatchObject({ outcome: 'appended' });
    expect(groups).toEqual([CALLERS]);
    expect(await said(store, keyOf('a'))).toEqual(upTo(CALLERS / 2).map((at) => `${2 * at}`));
  });

  it('of which one cannot be made do not spoil the others', async () => {
    const { counted } = counting();
    const store = await open(counted);
    await started(store, 'good');
    const texts = upTo(9).map((at) => `${at}`);
    const calls = texts.map((text) => append(store, 'good', text));
    const missing = append(store, 'nobody', 'hello');
    // A time that no column takes makes the whole statement fail.
    const broken = store.append(keyOf('good'), { entries: [say('x')], now: Number.NaN });
    expect(await answerOf(missing)).toEqual({ outcome: 'missing' });
    for (const each of calls) expect(await answerOf(each)).toMatchObject({ outcome: 'appended' });
    await broken;
    expect((await said(store, keyOf('good')))?.filter((text) => text !== 'x')).toEqual(texts);
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
    for (const each of await send()) expect(each._unsafeUnwrapErr()).toMatchObject(unknown);
    isLost = false;
    for (const each of await send()) expect(each._unsafeUnwrap()).toMatchObject({ repeated: true });
    expect(await said(store, keyOf('one'))).toHaveLength(5);
  });

  it('of two processes lock the same sessions in one order, and none fails', async () => {
    const schema = schemaName();
    const stores = [await open(pool, schema), await open(pool, schema)];
    const ids = upTo(8).map((at) => `s${at}`);
    await started(stores[0] ?? (await open(pool)), ...ids);
    for (const round of upTo(20)) {
      const orders = [ids, ids.toReversed()];
      const calls = stores.flatMap((store, at) => (orders[at] ?? []).map((id) => append(store, id, `${round}-${at}`)));
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
    const store = new PostgresSessionStore({ pool: silent, timeoutMs: 50 });
    const append = await store.append(keyOf('one'), { entries: [say('hello')], now: NOON });
    expect(append._unsafeUnwrapErr()).toMatchObject({ type: 'store_unavailable', outcome: 'not_applied' });
  });
});
