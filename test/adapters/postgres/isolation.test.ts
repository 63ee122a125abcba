import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type PostgresPool, PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { SessionService } from '../../../src/index.js';
import { planRedact } from '../../../src/plan/redact.js';
import { planRemove } from '../../../src/plan/remove.js';
import type { SessionKey } from '../../../src/store/session-store.js';
import { answerOf } from '../../../src/testing/answers.js';
import { appendOf, begin, beginOf, putOf } from '../../../src/testing/commits.js';
import { keyOf, live, NOON, upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import { ada, createdIn, okOf } from '../../support/sessions.js';

const TENANT = 'acme';
const CALLERS = 12;
const LIMIT = 2;

const pauseOf = (key: SessionKey) => putOf(key, live('PAUSED', { revision: 2 }), live('ACTIVE'));

/** The sorted outcomes of callers that race for one commit. */
const onceMade = ['made', ...upTo(CALLERS - 1).map(() => 'refused')];

/** The statements that a pool receives, except for the deployment's settings, and all errors. */
const recorded = (pool: Pool) => {
  const asked: string[] = [];
  const errors: unknown[] = [];
  const connect: PostgresPool['connect'] = async () => {
    const client = await pool.connect();
    const query = async (text: string, values?: unknown[]) => {
      if (!text.includes('.meta')) asked.push(text);
      return client.query(text, values).catch((error: unknown) => {
        errors.push(error);
        throw error;
      });
    };
    return { query, release: (destroy?: boolean) => client.release(destroy) };
  };
  return { pool: { connect }, asked, errors };
};

describeWithPostgres('connections with a stricter default isolation level', (server) => {
  const levels = ['repeatable read', 'serializable'] as const;

  describe.each(levels)('%s', (level) => {
    const schema = schemaName();
    let pool: Pool;
    const open = (on: PostgresPool = pool) =>
      new PostgresSessionStore({ pool: on, schema, timeoutMs: PATIENT_MS });
    beforeAll(async () => {
      const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`;
      pool = openPool(server, { max: CALLERS, options });
      (await new PostgresSessionStore({ pool, schema, events: true }).migrate())._unsafeUnwrap();
    });
    afterAll(() => pool.end());

    const service = (tenant: string) =>
      new SessionService({ store: open(), tenant, limits: { activeSessions: LIMIT } });

    it.each(upTo(12))(
      'never exceed the limit of ACTIVE sessions in racing starts, round %i',
      async (round) => {
        const sessions = service(`starts-${round}`);
        const ids = await Promise.all(upTo(CALLERS).map(() => createdIn(sessions)));
        const started = await Promise.all(ids.map((id) => sessions.start(id)));
        const refusals = started.flatMap((each) => (each.isErr() ? [each.error.type] : []));
        expect(refusals).toEqual(upTo(CALLERS - LIMIT).map(() => 'too_many_active'));
        expect((await okOf(sessions.list({ status: 'ACTIVE' }))).total).toBe(LIMIT);
      },
    );

    it('never exceed the limit of ACTIVE sessions in creates that also start', async () => {
      const sessions = service('creates');
      const created = await Promise.all(
        upTo(CALLERS).map(() => sessions.create({ ...ada, start: true })),
      );
      const refusals = created.flatMap((each) => (each.isErr() ? [each.error.type] : []));
      expect(refusals).toEqual(upTo(CALLERS - LIMIT).map(() => 'too_many_active'));
    });

    it('apply racing changes of one session in turn, without failures or retries', async () => {
      const { pool: recording, errors } = recorded(pool);
      const store = open(recording);
      const key = { tenant: TENANT, id: 'raced' };
      await begin(store, key);
      const appended = upTo(60).map((at) => store.change(appendOf(key, [`${at}`])));
      const replaced = upTo(CALLERS).map(() => store.change(pauseOf(key)));
      const moved = upTo(CALLERS).map((at) =>
        store.change({ key, guards: { dueAt: NOON }, effects: { dueAt: NOON + at } }),
      );
      for (const each of appended) expect(await answerOf(each)).toMatchObject({ outcome: 'made' });
      const outcomes = await Promise.all(replaced.map((each) => answerOf(each)));
      expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(onceMade);
      for (const each of moved) await answerOf(each);
      expect((await answerOf(store.find(key)))?.historyCount).toBe(60);
      const redacted = upTo(CALLERS).map((at) => store.change(planRedact(key, [at + 1], NOON)));
      for (const each of redacted) expect(await answerOf(each)).toMatchObject({ outcome: 'made' });
      const removed = await Promise.all(
        upTo(CALLERS).map(() => answerOf(store.remove(planRemove(key, NOON)))),
      );
      expect(removed.map(({ outcome }) => outcome).toSorted()).toEqual(onceMade);
      expect(errors).toEqual([]);
    });

    it('apply racing creates of one id or label without failures', async () => {
      const { pool: recording, errors } = recorded(pool);
      const store = open(recording);
      const same = await Promise.all(
        upTo(CALLERS).map(() =>
          answerOf(store.begin(beginOf(keyOf('same'), { state: live('IDLE') }))),
        ),
      );
      expect(same.map(({ outcome }) => outcome).toSorted()).toEqual(onceMade);
      const labels = { plan: 'free' };
      const labelled = upTo(100).map((at) =>
        store.begin(beginOf(keyOf(`l${at}`), { state: live('IDLE', { labels }) })),
      );
      for (const each of labelled) expect(await answerOf(each)).toEqual({ outcome: 'made' });
      const page = await answerOf(store.page(TENANT, { offset: 0, limit: 1, labels }));
      expect(page.total).toBe(100);
      expect(errors).toEqual([]);
    });

    it('publish an event for each change', async () => {
      const store = open();
      const key = { tenant: 'watched', id: 'one' };
      await begin(store, key);
      const texts = ['hello'];
      const appends = upTo(CALLERS).map(() => store.change(appendOf(key, texts)));
      for (const each of appends) await answerOf(each);
      const scope = { tenant: key.tenant, sessionId: key.id };
      const page = (await store.events?.read('', '0', 100, scope))?._unsafeUnwrap();
      expect(page?.events.map(({ sequence }) => sequence)).toEqual(
        upTo(CALLERS + 1).map((at) => at + 1),
      );
    });

    it('apply a change in one statement', async () => {
      const { pool: recording, asked } = recorded(pool);
      const key = { tenant: TENANT, id: 'counted' };
      const store = open(recording);
      await begin(store, key);
      await answerOf(store.change(appendOf(key, ['hello'])));
      await answerOf(store.change(pauseOf(key)));
      await answerOf(store.remove(planRemove(key, NOON)));
      expect(asked.filter((text) => !text.includes('publish'))).toHaveLength(4);
    });

    it("are rejected, and change nothing, while they are inside a host's transaction", async () => {
      const client = await pool.connect();
      onTestFinished(() => client.release());
      const inTransaction = {
        connect: async () => ({ query: client.query.bind(client), release: () => undefined }),
      };
      const store = open(inTransaction);
      await client.query('BEGIN');
      const inserted = await store.begin(beginOf(keyOf('inside'), { state: live('IDLE') }));
      await client.query('ROLLBACK');
      expect(inserted._unsafeUnwrapErr()).toMatchObject({
        type: 'misconfigured',
        message: expect.stringContaining('inside a transaction'),
      });
      expect(await answerOf(open().find({ tenant: TENANT, id: 'inside' }))).toBeUndefined();
    });
  });
});
