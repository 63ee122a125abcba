import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { SessionService } from '../../../src/index.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { begin } from '../../../src/testing/commits.js';
import { keyOf, upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { expectCallsToFail } from '../../support/failing-calls.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import { ada, okOf } from '../../support/sessions.js';
import { openLibsql, sqliteFile } from '../../support/sqlite-file.js';

interface Settings {
  readonly events?: boolean | { readonly length?: number };
  readonly reportEnds?: boolean;
}

type Migrating = SessionStore & Pick<SqliteSessionStore, 'migrate'>;

/** Opens stores on one empty database, each like the store of another process. */
type Deploy = () => (settings?: Settings) => Migrating;

/** The ids of the sessions that have events, or the error. */
const idsIn = async ({ events }: SessionStore): Promise<unknown> => {
  const page = await events?.read('', '0', 100);
  if (page === undefined || page.isErr()) return page?.error;
  return page.value.events.map(({ sessionId }) => sessionId);
};

const describeDeployment = (deploy: Deploy): void => {
  it('are those of the first migrate(), and apply to processes that omit the options', async () => {
    const open = deploy();
    await okOf(open({ events: { length: 5 } }).migrate());
    const follower = open();
    await okOf(follower.migrate());
    for (const at of upTo(12)) await begin(follower, keyOf(`s${at}`));
    expect(await idsIn(follower)).toEqual(['s7', 's8', 's9', 's10', 's11']);
    expect(await idsIn(open({ events: { length: 500 } }))).toHaveLength(5);
  });

  it('default to off, and then a watch fails', async () => {
    const open = deploy();
    await okOf(open().migrate());
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
    async (settings, message) => {
      const open = deploy();
      const first = open({ events: true });
      await okOf(first.migrate());
      const misconfigured = { type: 'misconfigured', message: expect.stringContaining(message) };
      const store = open(settings);
      for (const _ of upTo(2)) {
        expect((await store.migrate())._unsafeUnwrapErr()).toMatchObject(misconfigured);
        await expectCallsToFail(store, misconfigured);
      }
      await begin(first, keyOf('one'));
      expect(await idsIn(first)).toEqual(['one']);
    },
  );

  it('change with migrate({ reconfigure: true }), on and off', async () => {
    const open = deploy();
    await okOf(open().migrate());
    await begin(open(), keyOf('one'));
    const wanted = open({ events: true });
    await okOf(wanted.migrate({ reconfigure: true }));
    await begin(wanted, keyOf('two'));
    expect(await idsIn(open())).toEqual(['two']);
    await okOf(open({ events: false }).migrate({ reconfigure: true }));
    expect(await idsIn(open())).toMatchObject({ type: 'misconfigured' });
  });
};

describe('the SQLite deployment settings', () => {
  describeDeployment(() => {
    const { file, remove } = sqliteFile();
    onTestFinished(remove);
    return (settings) => {
      const database = openLibsql(file);
      onTestFinished(() => void database.close());
      return new SqliteSessionStore({ database, ...settings });
    };
  });
});

describeWithPostgres('the PostgreSQL deployment settings', (postgres) => {
  const pool = openPool(postgres);
  afterAll(() => pool.end());

  describeDeployment(() => {
    const schema = schemaName();
    return (settings) =>
      new PostgresSessionStore({ pool, schema, timeoutMs: PATIENT_MS, ...settings });
  });
});
