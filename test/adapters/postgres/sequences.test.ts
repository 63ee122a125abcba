import { expect, it, onTestFinished } from 'vitest';
import { PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import { appendOf, begin, beginOf } from '../../../src/testing/commits.js';
import { keyOf, upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';

describeWithPostgres(
  'PostgreSQL sequences after a switch-over by logical replication',
  (postgres) => {
    const opened = async () => {
      const pool = openPool(postgres);
      onTestFinished(() => pool.end());
      const schema = schemaName();
      const open = () =>
        new PostgresSessionStore({ pool, schema, events: true, timeoutMs: PATIENT_MS });
      const store = open();
      (await store.migrate())._unsafeUnwrap();
      for (const at of upTo(40)) {
        await begin(store, keyOf(`old-${at}`));
      }
      for (const table of ['sessions', 'outbox']) {
        await pool.query(`ALTER TABLE ${schema}.${table} ALTER COLUMN number RESTART WITH 1`);
      }
      return { pool, schema, store, open };
    };
    const insert = (store: PostgresSessionStore, id: string) => store.begin(beginOf(keyOf(id)));

    it('are advanced by migrate(), even during creates', async () => {
      const { store, open } = await opened();
      const racing = upTo(30).map((at) => insert(store, `racing-${at}`));
      const migrated = await Promise.all(upTo(3).map(() => open().migrate()));
      await Promise.all(racing);
      for (const each of migrated) each._unsafeUnwrap();
      for (const at of upTo(50))
        expect(await answerOf(insert(store, `new-${at}`))).toEqual({ outcome: 'made' });
    });

    it('fail creates with misconfigured until they are advanced, and other changes of a group are applied', async () => {
      const { store } = await opened();
      const append = store.change(appendOf(keyOf('old-1'), ['hello']));
      expect((await insert(store, 'new'))._unsafeUnwrapErr()).toMatchObject({
        type: 'misconfigured',
        message: expect.stringContaining('migrate()'),
      });
      const answer = await append;
      if (answer.isErr()) expect(answer.error.type).toBe('misconfigured');
      else expect(answer.value).toMatchObject({ outcome: 'made' });
    });

    it('fail migrate() for a role that may read but not advance them', async () => {
      const { pool, schema } = await opened();
      const role = schemaName();
      await pool.query(`CREATE ROLE ${role} LOGIN;
      GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};
      GRANT SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`);
      const limited = openPool({ url: postgres.url.replace('postgres@', `${role}@`) });
      onTestFinished(() => limited.end());
      const store = new PostgresSessionStore({ pool: limited, schema });
      expect((await store.migrate())._unsafeUnwrapErr().type).toBe('misconfigured');
    });
  },
);
