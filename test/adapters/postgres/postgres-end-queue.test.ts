import { afterAll, expect, test } from 'vitest';
import { type PostgresPool, PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { headOf, live, NOON } from '../../../src/testing/samples.js';
import { answerOf, replacing } from '../../../src/testing/steps.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { openPool, postgresSchemas } from '../../support/postgres-schema.js';

const key = { tenant: 'acme', id: 'one' };
const terms = { ...live('ACTIVE').terms, reportEnds: true };

describeWithPostgres('ends that wait in PostgreSQL', (postgres) => {
  const pool = openPool(postgres);
  const schemas = postgresSchemas(pool);
  afterAll(() => pool.end());

  /** A pool that calls `afterQuery` after each statement. */
  const interrupted = (afterQuery: () => Promise<unknown>): PostgresPool => ({
    connect: async () => {
      const client = await pool.connect();
      return {
        query: async (text, values) => {
          const answer = await client.query(text, values === undefined ? undefined : [...values]);
          await afterQuery();
          return answer;
        },
        release: (destroy) => client.release(destroy),
      };
    },
  });

  test('are read with their state, wherever a deletion comes between two statements of the read', async () => {
    for (let at = 1; at <= 6; at += 1) {
      const { store, schema } = await schemas.open();
      await answerOf(store.insert(key.tenant, headOf(key.id), live('ACTIVE', { terms })));
      const ended = live('ACTIVE', { revision: 2, since: NOON, terms });
      await answerOf(replacing(store, key, { ...ended, status: 'TERMINATED', endReason: 'terminated' }));
      let statements = 0;
      const other = new PostgresSessionStore({
        schema,
        pool: interrupted(async () => {
          statements += 1;
          if (statements === at) await answerOf(store.remove(key, { now: NOON + 1 }));
        }),
      });
      const { ends } = await answerOf(other.ends.due(NOON + 1000, 10));
      expect(ends.map((end) => end.ended.map((record) => record?.state.status)._unsafeUnwrap())).toEqual([
        'TERMINATED',
      ]);
    }
  });
});
