import { afterAll, expect, it, onTestFinished } from 'vitest';
import { changeInput } from '../../../adapters/postgres/commit-input.js';
import {
  type PostgresPool,
  PostgresSessionStore,
  type PostgresSessionStoreOptions,
} from '../../../adapters/postgres/index.js';
import { append, appendOf, begin } from '../../../src/testing/commits.js';
import { keyOf, upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import { watchedBy } from './watched-by.js';

describeWithPostgres('the PostgreSQL event log', (postgres) => {
  const pool = openPool(postgres);
  afterAll(() => pool.end());

  it('reads the events of a session or tenant from an index, not past all others', async () => {
    const schema = schemaName();
    const store = new PostgresSessionStore({ pool, schema, events: true });
    (await store.migrate())._unsafeUnwrap();
    await begin(store, keyOf('one'));
    await append(store, keyOf('one'), ['hello']);
    await store.events?.latest('');
    await pool.query(`INSERT INTO ${schema}.events
      SELECT 2 + at, 1000 + (SELECT max(ms) FROM ${schema}.events), 'other', at % 9, 'incarnation', 1, '{}'
        FROM generate_series(1, 20000) AS at;
      ANALYZE ${schema}.events`);
    const latest = (await store.events?.latest(''))?._unsafeUnwrap();
    const asked: [string, unknown[]][] = [];
    const noting: PostgresPool = {
      connect: async () => {
        const client = await pool.connect();
        const query = (text: string, values: unknown[] = []) => {
          if (!text.includes('.meta')) asked.push([text, values]);
          return client.query(text, values);
        };
        return { query, release: (destroy) => client.release(destroy) };
      },
    };
    const { events } = new PostgresSessionStore({ pool: noting, schema, events: true });
    for (const sessionId of ['one', undefined]) {
      const page = (
        await events?.read('', '0', 500, { tenant: 'acme', sessionId })
      )?._unsafeUnwrap();
      expect(page?.events.map(({ sequence }) => sequence)).toEqual([1, 2]);
      expect(page?.position, 'it goes on after all others').toBe(latest);
      const behind = (
        await events?.read('', latest ?? '', 500, { tenant: 'acme', sessionId })
      )?._unsafeUnwrap();
      expect(behind).toMatchObject({ events: [], position: latest });
    }
    const none = (
      await events?.read('', '0', 500, { tenant: 'acme', sessionId: 'nobody' })
    )?._unsafeUnwrap();
    expect(none).toEqual({ events: [], position: latest, isTrimmed: false });
    for (const [text, values] of asked) {
      const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      const plan = JSON.stringify(rows);
      expect(plan).toMatch(/events_by_(?:session|tenant)/);
      expect(plan, 'rows that were read and left out').not.toMatch(
        /"Rows Removed by Filter":[1-9]/,
      );
    }
  });

  /**
   * A store, and SQL that changes a session as a process does that is killed before it publishes
   * the event.
   */
  const openUnpublished = async (options: Partial<PostgresSessionStoreOptions> = {}) => {
    const schema = schemaName();
    const store = new PostgresSessionStore({
      pool,
      schema,
      events: true,
      timeoutMs: PATIENT_MS,
      ...options,
    });
    (await store.migrate())._unsafeUnwrap();
    const key = keyOf('one', 'default');
    await begin(store, key);
    // By now the store has published its own event.
    await store.events?.latest('');
    const commit = changeInput(appendOf(key, ['hello']));
    const appendKilled = () =>
      pool.query(`CALL ${schema}.commit_all('0', $1, '{}', true, 0, NULL)`, [
        JSON.stringify([commit]),
      ]);
    return { schema, store, append: appendKilled };
  };
  const sequencesIn = async ({ events }: PostgresSessionStore, position = '0') =>
    (await events?.read('', position, 500))?._unsafeUnwrap().events.map(({ sequence }) => sequence);

  it('contains the change of a process that was killed before it published the event', async () => {
    const { store, append } = await openUnpublished();
    await append();
    expect(await sequencesIn(store)).toEqual([1, 2]);
    await append();
    const latest = (await store.events?.latest(''))?._unsafeUnwrap();
    expect(
      await sequencesIn(store, latest),
      'a change before the latest position is not after it',
    ).toEqual([]);
    expect(await sequencesIn(store)).toEqual([1, 2, 3]);
  });

  it.each([true, false])(
    'delivers the change of a killed process to a watch, without calls by others: LISTEN %s',
    async (listen) => {
      const { store, append } = await openUnpublished({ events: { listen } });
      const watch = watchedBy(store);
      await watch.opened;
      await append();
      await watch.event('one', 2);
      await watch.end();
    },
  );

  it('is readable by a role that may not publish', async () => {
    const { schema, append } = await openUnpublished();
    const reading = openPool(postgres, { options: '-c default_transaction_read_only=on' });
    onTestFinished(() => reading.end());
    const store = new PostgresSessionStore({ pool: reading, schema, events: true });
    await append();
    expect(await sequencesIn(store)).toEqual([1]);
  });

  it('lists the changes of each session in order, whichever processes make and publish them', async () => {
    const { schema, store } = await openUnpublished();
    const second = new PostgresSessionStore({ pool, schema, events: true, timeoutMs: PATIENT_MS });
    const looks: unknown[] = [];
    const changes = upTo(200).map((at) => {
      const by = at % 2 === 0 ? store : second;
      if (at % 10 === 0) looks.push(second.events?.latest(''));
      return by.change(appendOf(keyOf('one', 'default'), [`${at}`]));
    });
    await Promise.all([...changes, ...looks]);
    expect(await sequencesIn(store)).toEqual(upTo(201).map((at) => at + 1));
  });
});
