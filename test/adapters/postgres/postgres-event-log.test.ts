import { afterAll, expect, it } from 'vitest';
import { type PostgresPool, PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { headOf, live, NOON, say } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';

describeWithPostgres('the events in PostgreSQL', (postgres) => {
  const pool = openPool(postgres);
  afterAll(() => pool.end());

  it('reads the events of a session or tenant by an index, past all others', async () => {
    const schema = schemaName();
    const store = new PostgresSessionStore({ pool, schema, events: true });
    (await store.migrate())._unsafeUnwrap();
    await store.insert('acme', headOf('one'), live('ACTIVE'));
    await store.append({ tenant: 'acme', id: 'one' }, { entries: [say('hello')], now: NOON });
    await pool.query(`INSERT INTO ${schema}.events
      SELECT 2 + at, 1000 + (SELECT max(ms) FROM ${schema}.events), 'other', at % 9, 'birth', 1, '{}'
        FROM generate_series(1, 20000) AS at;
      ANALYZE ${schema}.events`);
    const latest = (await store.events?.latest(''))?._unsafeUnwrap();
    const asked: [string, unknown[]][] = [];
    const noting: PostgresPool = {
      connect: async () => {
        const client = await pool.connect();
        const query = (text: string, values: unknown[] = []) => {
          asked.push([text, values]);
          return client.query(text, values);
        };
        return { query, release: (destroy) => client.release(destroy) };
      },
    };
    const { events } = new PostgresSessionStore({ pool: noting, schema, events: true });
    for (const sessionId of ['one', undefined]) {
      const page = (await events?.read('', '0', 500, { tenant: 'acme', sessionId }))?._unsafeUnwrap();
      expect(page?.events.map(({ sequence }) => sequence)).toEqual([1, 2]);
      expect(page?.position, 'it goes on behind all others').toBe(latest);
      const behind = (await events?.read('', latest ?? '', 500, { tenant: 'acme', sessionId }))?._unsafeUnwrap();
      expect(behind).toMatchObject({ events: [], position: latest });
    }
    const none = (await events?.read('', '0', 500, { tenant: 'acme', sessionId: 'nobody' }))?._unsafeUnwrap();
    expect(none).toEqual({ events: [], position: latest, isTrimmed: false });
    for (const [text, values] of asked) {
      const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      const plan = JSON.stringify(rows);
      expect(plan).toMatch(/events_by_(?:session|tenant)/);
      expect(plan, 'rows that were read and left out').not.toMatch(/"Rows Removed by Filter":[1-9]/);
    }
  });
});
