import { afterAll, expect, it } from 'vitest';
import {
  type PostgresPool,
  PostgresSessionStore,
  type PostgresSessionStoreOptions,
} from '../../../adapters/postgres/index.js';
import { SessionService } from '../../../src/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin } from '../../../src/testing/commits.js';
import { keyOf, NOON, TENANT, upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { expectCallsToFail } from '../../support/failing-calls.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import { ada, okOf } from '../../support/sessions.js';

describeWithPostgres('the PostgreSQL deployment settings', (postgres) => {
  const pool = openPool(postgres);
  afterAll(() => pool.end());

  /** Opens stores on one schema, each like the store of another process. */
  const deploy = () => {
    const schema = schemaName();
    return (
      options: Omit<PostgresSessionStoreOptions, 'pool' | 'schema'> = {},
      on: PostgresPool = pool,
    ) => new PostgresSessionStore({ pool: on, schema, timeoutMs: PATIENT_MS, ...options });
  };
  const idsIn = async ({ events }: PostgresSessionStore) =>
    (await events?.read('', '0', 100))?.map((page) =>
      page.events.map(({ sessionId }) => sessionId),
    );

  it('are those of the first migrate(), and apply to processes that omit the options', async () => {
    const open = deploy();
    (await open({ events: { length: 3 } }).migrate())._unsafeUnwrap();
    const follower = open();
    (await follower.migrate())._unsafeUnwrap();
    for (const at of upTo(5)) await begin(follower, keyOf(`s${at}`));
    expect((await idsIn(follower))?._unsafeUnwrap()).toEqual(['s2', 's3', 's4']);
  });

  it('default to off, and then a watch fails', async () => {
    const open = deploy();
    (await open().migrate())._unsafeUnwrap();
    const sessions = new SessionService({ store: open() });
    const { id } = await okOf(sessions.create(ada));
    const { value } = await sessions.watch(id)[Symbol.asyncIterator]().next();
    expect(value?._unsafeUnwrapErr()).toMatchObject({
      type: 'misconfigured',
      message: expect.stringContaining('no events'),
    });
  });

  it.each([
    [{ events: false }, 'the option events is false, but this store has true'],
    [{ reportEnds: true }, 'the option reportEnds is true, but this store has false'],
  ])(
    'reject each call of a process that asks for %j, and stay unchanged',
    async (options, message) => {
      const open = deploy();
      const first = open({ events: true });
      (await first.migrate())._unsafeUnwrap();
      const misconfigured = { type: 'misconfigured', message: expect.stringContaining(message) };
      const store = open(options);
      for (const _ of upTo(2)) {
        expect((await store.migrate())._unsafeUnwrapErr()).toMatchObject(misconfigured);
        await expectCallsToFail(store, misconfigured);
      }
      await begin(first, keyOf('one'));
      expect((await idsIn(first))?._unsafeUnwrap()).toEqual(['one']);
    },
  );

  it('are read once, with the first call', async () => {
    const open = deploy();
    (await open({ events: true }).migrate())._unsafeUnwrap();
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
    const store = open({}, counting);
    await Promise.all(upTo(9).map(() => answerOf(store.find({ tenant: TENANT, id: 'one' }))));
    await answerOf(store.due(NOON, 1));
    expect(asked.filter((text) => text.includes('.meta'))).toHaveLength(1);
    expect(asked).toHaveLength(11);
  });

  it('are changed by a migrate() that asks for it, on and off', async () => {
    const open = deploy();
    (await open().migrate())._unsafeUnwrap();
    await begin(open(), keyOf('one'));
    const wanted = open({ events: true });
    (await wanted.migrate({ reconfigure: true }))._unsafeUnwrap();
    await begin(wanted, keyOf('two'));
    expect((await idsIn(open()))?._unsafeUnwrap()).toEqual(['two']);
    (await open({ events: false }).migrate({ reconfigure: true }))._unsafeUnwrap();
    expect((await idsIn(open()))?._unsafeUnwrapErr()).toMatchObject({ type: 'misconfigured' });
  });
});
