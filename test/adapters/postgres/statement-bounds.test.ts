import { afterAll, expect, it } from 'vitest';
import { PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { planRedact } from '../../../src/plan/redact.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin } from '../../../src/testing/commits.js';
import { keyOf, NOON, TENANT } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { PATIENT_MS } from '../../support/patience.js';
import { startPgBouncer } from '../../support/pgbouncer.js';
import { type OpenClient, postgresClients } from '../../support/postgres-clients.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import { reasonToSkip, requirements } from '../../support/requirements.js';

describeWithPostgres('a PostgreSQL statement whose call timed out', (postgres) => {
  const admin = openPool(postgres);
  afterAll(() => admin.end());

  /** Makes every read of these tables sleep for longer than the test. */
  const slowDown = async (schema: string) => {
    for (const table of ['sessions', 'labels', 'totals', 'events']) {
      await admin.query(`ALTER TABLE ${schema}.${table} RENAME TO ${table}_before`);
      await admin.query(`CREATE VIEW ${schema}.${table} AS
        SELECT * FROM ${schema}.${table}_before
        WHERE (SELECT pg_sleep(1000) IS NOT NULL)`);
    }
  };

  const expectNothingGoesOn = async ({ host }: OpenClient) => {
    const schema = schemaName();
    const settings = { ...host, schema, events: { listen: false }, timeoutMs: 1000 };
    const store = new PostgresSessionStore(settings);
    const patient = new PostgresSessionStore({ ...settings, timeoutMs: PATIENT_MS });
    (await patient.migrate())._unsafeUnwrap();
    await slowDown(schema);
    const page = { offset: 0, limit: 10 };
    const labels = { plan: 'free', team: 'a' };
    const calls = [
      () => store.find(keyOf('one')),
      () => store.findState(keyOf('one')),
      () => store.entries(keyOf('one'), { limit: 10 }),
      () => store.page(TENANT, page),
      () => store.page(TENANT, { ...page, labels }),
      () => store.page(TENANT, { ...page, order: 'updated' as const }),
      () => store.due(NOON, 10),
      () => store.take({ now: NOON, until: NOON + 1, limit: 10 }),
      () => store.countWaiting({ now: NOON, limit: 10 }),
      async () => store.events?.read('', '0', 10),
    ];
    const redacted = store.change(planRedact(keyOf('one'), [1], NOON));
    const refusals = await Promise.all(calls.map((call) => call()));
    // A pooler may still hold it back, so the outcome is unknown.
    expect((await redacted)._unsafeUnwrapErr()).toMatchObject({ type: 'store_unavailable' });
    for (const each of refusals) {
      expect(each?._unsafeUnwrapErr()).toMatchObject({ outcome: 'not_applied' });
    }
    const running = `SELECT query FROM pg_stat_activity
      WHERE query LIKE '%${schema}%' AND state = 'active' AND pid <> pg_backend_pid()`;
    await expect.poll(async () => (await admin.query(running)).rows).toEqual([]);
  };

  it.for(postgresClients)('also ends in the server, with $client', async ({ open }) => {
    const client = open(postgres, 20);
    await expectNothingGoesOn(client);
    await client.end();
  });

  it.for(postgresClients)(
    'also ends in the server behind PgBouncer in transaction mode, with $client',
    async ({ open }, test) => {
      if (!requirements.pgbouncer.isMet()) test.skip(reasonToSkip(requirements.pgbouncer));
      const bouncer = await startPgBouncer(postgres);
      const client = open(bouncer, 20);
      await expectNothingGoesOn(client);
      await client.end();
      await bouncer.stop();
    },
  );

  it.for(postgresClients)(
    'was bounded without changing the settings of its connection, with $client',
    async ({ open }) => {
      const client = open(postgres, 1);
      const store = new PostgresSessionStore({ ...client.host, schema: schemaName() });
      (await store.migrate())._unsafeUnwrap();
      await begin(store, keyOf('one'));
      await answerOf(store.find(keyOf('one')));
      for (const name of ['statement_timeout', 'lock_timeout']) {
        expect(await client.ask(`SHOW ${name}`)).toEqual([{ [name]: '0' }]);
      }
      await client.end();
    },
  );
});
