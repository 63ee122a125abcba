import type { Pool } from 'pg';
import { expect, it } from 'vitest';
import { type PostgresPool, PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { SessionService } from '../../../src/service/session-service.js';
import { answerOf } from '../../../src/testing/answers.js';
import { appendOf, begin } from '../../../src/testing/commits.js';
import { keyOf, TENANT, upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { PATIENT_MS } from '../../support/patience.js';
import { startPgBouncer } from '../../support/pgbouncer.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import { reasonToSkip, requirements } from '../../support/requirements.js';

const PREPARED = "SELECT name, statement FROM pg_prepared_statements WHERE name LIKE 'colloquy_%'";

describeWithPostgres('PostgreSQL prepared statements', (postgres) => {
  const open = async (pool: PostgresPool, schema = schemaName()) => {
    const store = new PostgresSessionStore({ pool, schema, timeoutMs: PATIENT_MS });
    (await store.migrate())._unsafeUnwrap();
    return store;
  };

  /** Writes and reads a session of its own. */
  const use = async (store: PostgresSessionStore, id: string): Promise<void> => {
    await begin(store, keyOf(id));
    await answerOf(store.change(appendOf(keyOf(id), ['hello'])));
    expect((await answerOf(store.find(keyOf(id))))?.history).toHaveLength(1);
    expect(await answerOf(store.findState(keyOf(id)))).toMatchObject({ status: 'ACTIVE' });
    await answerOf(store.page(TENANT, { offset: 0, limit: 1 }));
  };

  const preparedOn = async (pool: Pool): Promise<readonly string[]> => {
    const { rows } = await pool.query<{ statement: string }>(PREPARED);
    return rows.map(({ statement }) => statement);
  };

  it('are prepared by name, once per text and connection for all stores', async () => {
    const pool = openPool(postgres, { max: 1 });
    const schema = schemaName();
    const stores = [await open(pool, schema), await open(pool, schema)];
    for (const [at, store] of stores.entries()) await use(store, `a${at}`);
    const first = await preparedOn(pool);
    for (const [at, store] of stores.entries()) await use(store, `b${at}`);
    const second = await preparedOn(pool);
    await pool.end();
    expect(first.length).toBeGreaterThanOrEqual(5);
    expect(second.toSorted()).toEqual(first.toSorted());
  });

  it('for pages are planned once for all limits', async () => {
    const pool = openPool(postgres, { max: 1 });
    const schema = schemaName();
    const store = await open(pool, schema);
    const service = new SessionService({ store, tenant: TENANT });
    const options = { face: 'f', profile: 'p', behavior: '', context: '' };
    const created = await Promise.all(Array.from({ length: 300 }, () => service.create(options)));
    expect(created.filter((each) => each.isErr())).toEqual([]);
    await pool.query(`ANALYZE ${schema}.sessions`);
    for (let limit = 1; limit <= 20; limit += 1) {
      expect((await service.list({ limit }))._unsafeUnwrap().sessions).toHaveLength(limit);
    }
    const { rows } = await pool.query(
      "SELECT generic_plans > 0 AS once FROM pg_prepared_statements WHERE statement LIKE '%totals%'",
    );
    await pool.end();
    expect(rows).toEqual([{ once: true }]);
  });

  it('for a search by several labels are planned for the given values', async () => {
    const pool = openPool(postgres, { max: 1 });
    const store = await open(pool);
    const labels = { plan: 'free', team: 'a' };
    for (const _ of upTo(8)) await answerOf(store.page(TENANT, { offset: 0, limit: 1, labels }));
    const prepared = await preparedOn(pool);
    await pool.end();
    expect(prepared.filter((text) => text.includes('matching AS'))).toEqual([]);
  });

  it.each(['26000', '42P05', '0A000'])(
    'lose their names on a connection that cannot use one: %s',
    async (code) => {
      const pool = openPool(postgres);
      const named: string[] = [];
      const refusing: PostgresPool = {
        connect: async () => {
          const client = await pool.connect();
          const query = async (asked: string | { readonly text: string }, values?: unknown[]) => {
            if (typeof asked === 'string') return client.query(asked, values);
            named.push(asked.text);
            throw Object.assign(new Error('from the pooler'), { code });
          };
          const release = (destroy?: boolean) => client.release(destroy);
          return { query, release, escapeIdentifier: () => '' };
        },
      };
      const store = await open(refusing);
      await use(store, 'one');
      await pool.end();
      expect(named).toHaveLength(1);
    },
  );

  it('run behind a pooler that drops names between connections', async (test) => {
    if (!requirements.pgbouncer.isMet()) test.skip(reasonToSkip(requirements.pgbouncer));
    const bouncer = await startPgBouncer(postgres);
    const pool = openPool(bouncer, { max: 8 });
    const schema = schemaName();
    // Each connection finds this out by itself, with statements that others have prepared.
    const [one, two, three] = [
      await open(pool, schema),
      await open(pool, schema),
      await open(pool, schema),
    ];
    const ids = upTo(40).map((at) => `s${at}`);
    await Promise.all(
      [one, two, three].flatMap((store, at) => ids.map((id) => use(store, `${id}-${at}`))),
    );
    const page = await answerOf(one.page(TENANT, { offset: 0, limit: 1 }));
    await pool.end();
    await bouncer.stop();
    expect(page.total).toBe(120);
  });
});
