import type { Result } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { type PostgresPool, PostgresSessionStore } from '../../../adapters/postgres/index.js';
import type { StoreError } from '../../../src/session/errors.js';
import type { Answer, Begun, Changed } from '../../../src/store/session-store.js';
import { answerOf } from '../../../src/testing/answers.js';
import { appendOf, begin, beginOf, made, putOf, said } from '../../../src/testing/commits.js';
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
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';

const CALLERS = 40;

describeWithPostgres('concurrent changes in PostgreSQL', (postgres) => {
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
    const store = new PostgresSessionStore({ pool: on, schema, timeoutMs });
    (await store.migrate())._unsafeUnwrap();
    return store;
  };
  const started = async (store: PostgresSessionStore, ...ids: readonly string[]) => {
    for (const id of ids) await begin(store, keyOf(id));
  };
  const append = (store: PostgresSessionStore, id: string, text: string) =>
    store.change(appendOf(keyOf(id), [text], { operation: operationOf(text) }));

  it('of all kinds share a statement, and apply in order within each session', async () => {
    const { groups, counted } = counting();
    const store = await open(counted);
    await started(store, 'a');
    const next = live('ACTIVE', { revision: 2, labels: { plan: 'free' } });
    const changes: Answer<Begun | Changed, StoreError>[] = [
      append(store, 'a', 'hello'),
      store.begin(beginOf(keyOf('b'), { state: live('IDLE') })),
      store.begin(beginOf(keyOf('b'), { state: live('IDLE') })),
      store.change(appendOf(keyOf('b'), ['too early'], { open: NOON })),
      store.change(putOf(keyOf('b'), next, live('IDLE'))),
      append(store, 'b', 'in time'),
      store.change(putOf(keyOf('b'), live('PAUSED', { revision: 2 }))),
      store.change(putOf(keyOf('nobody'), next)),
    ];
    const answers = await Promise.all(changes.map((each) => each));
    const outcomes = answers
      .map((each) => each._unsafeUnwrap())
      .map((each) => (each.outcome === 'refused' ? each.guard : each.outcome));
    const ofB = ['made', 'absent', 'open', 'made', 'made', 'revision'];
    expect(outcomes).toEqual(['made', ...ofB, 'present']);
    expect(groups).toEqual([changes.length]);
    expect(await said(store, keyOf('b'))).toEqual(['in time']);
    const labelled = await answerOf(
      store.page(TENANT, { offset: 0, limit: 10, labels: { plan: 'free' } }),
    );
    expect(labelled.total).toBe(1);
  });

  it('apply in order within each session, even if they exceed one group', async () => {
    const { groups, counted } = counting();
    const store = await open(counted, schemaName(), PATIENT_MS);
    await started(store, 'a', 'b', 'c');
    const texts = upTo(300).map((at) => `${at}`);
    const calls = texts.flatMap((text) => ['a', 'b', 'c'].map((id) => append(store, id, text)));
    for (const each of calls) expect(await answerOf(each)).toMatchObject({ outcome: 'made' });
    expect(groups.length).toBeGreaterThan(5);
    for (const id of ['a', 'b', 'c']) expect(await said(store, keyOf(id))).toEqual(texts);
  });

  it('never exceed a limit of ACTIVE sessions, in one group or from several processes', async () => {
    const schema = schemaName();
    const stores = [await open(pool, schema, PATIENT_MS), await open(pool, schema, PATIENT_MS)];
    const cap = { sessions: 10, now: NOON };
    const ids = upTo(30).map((at) => `s${at}`);
    const calls = stores.flatMap((store, at) =>
      ids.map(async (name): Promise<Result<Begun | Changed, StoreError>> => {
        const id = `${name}-${at}`;
        if (name.endsWith('0')) {
          return store.begin(beginOf(keyOf(id), { guards: { live: cap } }));
        }
        await begin(store, keyOf(id), { state: live('IDLE') });
        const state = live('ACTIVE', { revision: 2 });
        return store.change(putOf(keyOf(id), state, live('IDLE'), { live: cap }));
      }),
    );
    const outcomes = (await Promise.all(calls)).map((each) => each._unsafeUnwrap());
    expect(
      outcomes.filter((each) => each.outcome === 'refused' && each.guard === 'live'),
    ).toHaveLength(50);
    const status = { anyOf: ['ACTIVE'], now: NOON } as const;
    const [store] = stores;
    const page = store && (await answerOf(store.page(TENANT, { offset: 0, limit: 1, status })));
    expect(page?.total).toBe(10);
  });

  it.each(['a', 'z'])(
    'create no fork if its source has changed, whichever id sorts first: %s',
    async (source) => {
      const schema = schemaName();
      const store = await open(pool, schema, PATIENT_MS);
      await started(store, source);
      const versionNow = async () => {
        const slice = await answerOf(store.entries(keyOf(source), { limit: 1 }));
        return slice.outcome === 'found' ? slice.version : '';
      };
      let version = await versionNow();
      const fork = (id: string) => {
        const guards = { source: { id: source, version } };
        return store.begin(beginOf(keyOf(id), { entries: [say('hi')], guards }));
      };
      expect(await answerOf(fork('m'))).toEqual({ outcome: 'made' });
      await answerOf(append(store, source, 'hello'));
      await made(store, appendOf(keyOf(source), [], {}, { truncate: 0 }));
      expect(await answerOf(fork('n'))).toMatchObject({ guard: 'source' });
      const other = await pool.connect();
      await other.query('BEGIN');
      await other.query(
        `UPDATE ${schema}.sessions SET redactions = redactions + 1 WHERE id = '${source}'`,
      );
      version = await versionNow();
      const waiting = fork('n');
      const isWaiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%commit_all%'`;
      await expect.poll(async () => (await pool.query(isWaiting)).rowCount).toBe(1);
      await other.query('COMMIT');
      other.release();
      expect(await answerOf(waiting)).toMatchObject({ guard: 'source' });
      expect(await answerOf(store.find(keyOf('n')))).toBeUndefined();
      expect((await answerOf(store.page(TENANT, { offset: 0, limit: 1 }))).total).toBe(2);
    },
  );

  it('share a statement, and keep their order in each session', async () => {
    const { groups, counted } = counting();
    const store = await open(counted);
    await started(store, 'a', 'b');
    const calls = upTo(CALLERS).map((at) => append(store, at % 2 === 0 ? 'a' : 'b', `${at}`));
    for (const each of calls) expect(await answerOf(each)).toMatchObject({ outcome: 'made' });
    expect(groups).toEqual([CALLERS]);
    expect(await said(store, keyOf('a'))).toEqual(upTo(CALLERS / 2).map((at) => `${2 * at}`));
  });

  it('are applied even if one change of their group fails', async () => {
    const { counted } = counting();
    const store = await open(counted);
    await started(store, 'good');
    const texts = upTo(9).map((at) => `${at}`);
    const calls = texts.map((text) => append(store, 'good', text));
    const missing = append(store, 'nobody', 'hello');
    const created = store.begin(beginOf(keyOf('new'), { state: live('IDLE') }));
    // A time that no column takes makes the whole statement fail.
    const broken = store.change(appendOf(keyOf('good'), ['x'], {}, { activity: Number.NaN }));
    const wrong = store.begin(
      beginOf(keyOf('wrong'), { head: { ...headOf('wrong'), createdAt: 'at noon' } }),
    );
    expect(await answerOf(missing)).toMatchObject({ guard: 'present' });
    expect(await answerOf(created)).toEqual({ outcome: 'made' });
    expect((await wrong)._unsafeUnwrapErr()).toMatchObject({ outcome: 'not_applied' });
    for (const each of calls) expect(await answerOf(each)).toMatchObject({ outcome: 'made' });
    await broken;
    expect((await said(store, keyOf('good')))?.filter((text) => text !== 'x')).toEqual(texts);
  });

  it('are each unknown if the reply is lost, and recognised when they are repeated', async () => {
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
    const replaced = store.change(putOf(keyOf('one'), live('ACTIVE', { revision: 2 })));
    for (const each of await send()) expect(each._unsafeUnwrapErr()).toMatchObject(unknown);
    expect((await replaced)._unsafeUnwrapErr()).toMatchObject(unknown);
    isLost = false;
    for (const each of await send())
      expect(each._unsafeUnwrap()).toMatchObject({ outcome: 'repeated' });
    expect(await said(store, keyOf('one'))).toHaveLength(5);
  });

  it('lock the same sessions in one order from two processes, without a failure', async () => {
    const schema = schemaName();
    const stores = [await open(pool, schema), await open(pool, schema)];
    const ids = upTo(8).map((at) => `s${at}`);
    await started(stores[0] ?? (await open(pool)), ...ids);
    for (const round of upTo(20)) {
      const orders = [ids, ids.toReversed()];
      const calls = stores.flatMap((store, at) =>
        (orders[at] ?? []).map((id) => append(store, id, `${round}-${at}`)),
      );
      for (const each of calls) expect(await answerOf(each)).toMatchObject({ outcome: 'made' });
    }
  });

  it('are sent immediately if they arrive alone, each in its own statement', async () => {
    const { groups, counted } = counting();
    const store = await open(counted);
    await started(store, 'one');
    for (const at of upTo(3)) await answerOf(append(store, 'one', `${at}`));
    expect(groups).toEqual([1, 1, 1]);
  });
});

describe('an append to a database that does not respond', () => {
  it('is not_applied if it was not sent before its timeout', async () => {
    const silent: PostgresPool = { connect: () => new Promise(() => undefined) };
    const store = new PostgresSessionStore({ pool: silent, timeoutMs: 50 });
    const append = await store.change(appendOf(keyOf('one'), ['hello']));
    expect(append._unsafeUnwrapErr()).toMatchObject({
      type: 'store_unavailable',
      outcome: 'not_applied',
    });
  });
});
