import { afterAll, expect, test } from 'vitest';
import { type PostgresPool, PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { isFields } from '../../../src/session/fields.js';
import type { PageRange } from '../../../src/store/session-store.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin } from '../../../src/testing/commits.js';
import { keyOf, live, NOON, upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { listRanges } from '../../support/page-ranges.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openPool, postgresSchemas, schemaName } from '../../support/postgres-schema.js';

/** The rows of sessions and labels that a plan read. */
const rowsRead = (plan: unknown): number => {
  if (Array.isArray(plan)) return plan.reduce((sum: number, each) => sum + rowsRead(each), 0);
  if (!isFields(plan)) return 0;
  const isListed = ['sessions', 'labels'].includes(String(plan['Relation Name']));
  const own = isListed ? Number(plan['Actual Rows']) * Number(plan['Actual Loops']) : 0;
  return own + rowsRead(plan['Plan']) + rowsRead(plan['Plans']);
};

describeWithPostgres('a PostgreSQL list page', (postgres) => {
  const pool = openPool(postgres);
  const schemas = postgresSchemas(pool);
  afterAll(() => pool.end());

  /** The pool, which explains each query before it runs it. */
  const explaining = (read: number[]): PostgresPool => ({
    connect: async () => {
      const client = await pool.connect();
      return {
        query: async (text, values) => {
          if (text.includes('.meta')) return client.query(text, values && [...values]);
          const { rows } = await client.query(
            `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
            values && [...values],
          );
          read.push(rowsRead(rows.map((row) => Object(row)['QUERY PLAN'])));
          return client.query(text, values && [...values]);
        },
        release: (destroy) => client.release(destroy),
      };
    },
  });

  const labels = { plan: 'free', team: 'a' };
  const searches: readonly (readonly [string, Partial<PageRange>])[] = [
    ['by two labels', { labels }],
    [
      'by a label and a status',
      { labels: { plan: 'free' }, status: { anyOf: ['ACTIVE'], now: NOON } },
    ],
    ['by two labels, in the order of updates', { labels, order: 'updated', now: NOON }],
    [
      'by a status, in the order of updates',
      { status: { anyOf: ['ACTIVE'], now: NOON }, order: 'updated', now: NOON },
    ],
  ];

  test.each(searches)(
    'of a search %s reads each session a bounded number of times, however wrong the statistics are',
    async (_, range) => {
      // Statistics stay with a schema, so no other test gets this one.
      const schema = schemaName();
      const store = new PostgresSessionStore({ pool, schema, timeoutMs: PATIENT_MS });
      (await store.migrate())._unsafeUnwrap();
      const sessions = 200;
      const insert = async (id: string, value: string) =>
        begin(store, keyOf(id), {
          state: live('ACTIVE', { labels: { ...labels, plan: value, team: value } }),
        });
      const settings = ['sessions', 'labels'].map(
        (table) => `ALTER TABLE ${schema}.${table} SET (autovacuum_enabled = off)`,
      );
      await schemas.run(settings.join('; '));
      for (const at of upTo(50)) await insert(`other-${at}`, `other-${at}`);
      await schemas.run(`ANALYZE ${schema}.sessions, ${schema}.labels`);
      await Promise.all(
        upTo(sessions).map((at) =>
          begin(store, keyOf(`s${at}`), { state: live('ACTIVE', { labels }) }),
        ),
      );
      const read: number[] = [];
      const explained = new PostgresSessionStore({
        pool: explaining(read),
        schema,
        timeoutMs: PATIENT_MS,
      });
      const page = await answerOf(explained.page('acme', { offset: 0, limit: 10, ...range }));
      expect(page.records).toHaveLength(10);
      expect(Math.max(...read)).toBeLessThan(5 * sessions);
    },
  );

  test.each(listRanges)(
    'after the last page of %s reads no session, however far it is',
    async (_, range) => {
      const { store, schema, close } = await schemas.open();
      for (const id of ['one', 'two', 'three']) {
        await begin(store, keyOf(id), { state: live('ACTIVE', { labels: { user: 'u-1' } }) });
      }
      const read: number[] = [];
      const explained = new PostgresSessionStore({ pool: explaining(read), schema });
      for (const offset of [3, Number.MAX_SAFE_INTEGER]) {
        const page = await answerOf(explained.page('acme', { offset, limit: 10, ...range }));
        expect(page).toEqual({ records: [], total: 3, unreadable: [] });
      }
      expect(read).toEqual([0, 0]);
      expect(
        (await answerOf(explained.page('acme', { offset: 2, limit: 10, ...range }))).records,
      ).toHaveLength(1);
      expect(read.at(-1)).toBeGreaterThan(2);
      await close();
    },
  );
});
