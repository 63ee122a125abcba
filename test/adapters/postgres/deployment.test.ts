import { afterAll, expect, it } from 'vitest';
import { PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import { NOON, TENANT, upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import { okOf } from '../../support/sessions.js';

describeWithPostgres('the PostgreSQL deployment settings', (postgres) => {
  const pool = openPool(postgres);
  afterAll(() => pool.end());

  it('are read once, with the first call', async () => {
    const options = { schema: schemaName(), timeoutMs: PATIENT_MS };
    await okOf(new PostgresSessionStore({ pool, events: true, ...options }).migrate());
    const asked: string[] = [];
    const counting = {
      connect: async () => {
        const client = await pool.connect();
        const query = (text: string, values: unknown[] = []) => {
          asked.push(text);
          return client.query(text, values);
        };
        return { query, release: (destroy?: boolean) => client.release(destroy) };
      },
    };
    const store = new PostgresSessionStore({ pool: counting, ...options });
    await Promise.all(upTo(9).map(() => answerOf(store.find({ tenant: TENANT, id: 'one' }))));
    await answerOf(store.due(NOON, 1));
    expect(asked.filter((text) => text.includes('.meta'))).toHaveLength(1);
    expect(asked).toHaveLength(11);
  });
});
