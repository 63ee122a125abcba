import { afterAll, expect, test } from 'vitest';
import { unleasedPositions } from '../../../adapters/sql/unleased-positions.js';
import { headOf, live, NOON, upTo } from '../../../src/testing/samples.js';
import { answerOf } from '../../../src/testing/steps.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { openPool, postgresSchemas } from '../../support/postgres-schema.js';

const range = { status: 'ACTIVE', now: NOON, limit: 10 } as const;

describeWithPostgres('sessions that nobody holds, in PostgreSQL', (postgres) => {
  const pool = openPool(postgres);
  const schemas = postgresSchemas(pool);
  afterAll(() => pool.end());

  test('are found in their index, in its order, on the first page and after a place', async () => {
    const { store, schema } = await schemas.open({ leaseIndex: true });
    // The tables were there before, without the index.
    for (const _ of upTo(2)) (await store.migrate())._unsafeUnwrap();
    await answerOf(store.insert('acme', headOf('s0'), live('ACTIVE')));
    const { rows: columns } = await pool.query(
      `SELECT column_name FROM information_schema.columns
        WHERE table_schema = $1 AND table_name = 'sessions' AND column_name NOT IN ('number', 'id', 'unleased_since')`,
      [schema],
    );
    const others = columns.map((row) => String(Object(row).column_name)).join(', ');
    await pool.query(`INSERT INTO ${schema}.sessions (id, unleased_since, ${others})
      SELECT 's' || at, unleased_since - at, ${others} FROM ${schema}.sessions, generate_series(1, 20000) AS at`);
    await pool.query(`ANALYZE ${schema}.sessions`);
    for (const after of [undefined, { since: NOON, id: 's1' }]) {
      const { sql, values } = unleasedPositions(`${schema}.`, 'acme', { ...range, after });
      let count = 0;
      const text = sql.replace(/\?/g, () => {
        count += 1;
        return `$${count}`;
      });
      const { rows } = await pool.query(`EXPLAIN ${text}`, [...values]);
      const plan = rows.map((row) => String(Object(row)['QUERY PLAN'])).join('\n');
      expect(plan).toContain('sessions_by_wait');
      expect(plan).not.toContain('Sort');
    }
  });

  test('need the option leaseIndex', async () => {
    const { store } = await schemas.open();
    expect((await store.unleased('acme', range))._unsafeUnwrapErr()).toEqual({
      type: 'misconfigured',
      message: 'PostgresSessionStore: unleased needs the option leaseIndex',
    });
  });
});
