import PgBoss from 'pg-boss';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { SessionService } from '../../src/index.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { schemaName } from '../support/postgres-schema.js';
import { ada, okOf } from '../support/sessions.js';
import { openPostgresHost, openSqliteHost } from '../transactions/hosts.js';
import { documentOf } from './documents.js';
import { SampleFolder } from './run-sample.js';
import { blocksIn } from './samples.js';

type PlaceOrder = (
  database: object,
  sessions: SessionService,
  chat: string,
  order: string,
) => Promise<void>;

const folder = new SampleFolder();
afterAll(() => folder.remove());

const isExported = (module: unknown): module is { readonly placeOrder: PlaceOrder } =>
  typeof Object(module).placeOrder === 'function';

/** The code of the page in a file of this name. */
const loadSample = async (name: string): Promise<PlaceOrder> => {
  const samples = blocksIn(documentOf('docs/reference/transactions.md'), 'ts');
  const sample = samples.find(({ code }) => code.startsWith(`// ${name}`));
  const module = sample === undefined ? undefined : await folder.run(sample);
  if (!isExported(module)) throw new Error(`docs/reference/transactions.md has no ${name}`);
  return module.placeOrder;
};

const openChat = async (store: ConstructorParameters<typeof SessionService>[0]['store']) => {
  const sessions = new SessionService({ store });
  await okOf(sessions.create({ ...ada, id: 'chat', start: true }));
  const told = async () => (await okOf(sessions.inbox('chat'))).map(({ content }) => content);
  return { sessions, told };
};

const ARRIVED = 'Order o-1 has arrived.';

describe('the documented transaction on SQLite', () => {
  const open = async () => {
    const { store, other, orders } = await openSqliteHost();
    return { ...(await openChat(store)), database: other, orders };
  };

  test('stores the order together with its message', async () => {
    const { sessions, told, database, orders } = await open();
    await (await loadSample('order-in-sqlite.ts'))(database, sessions, 'chat', 'o-1');
    expect([await orders(), await told()]).toEqual([['o-1'], [ARRIVED]]);
  });

  test('stores no order without its message', async () => {
    const { sessions, told, database, orders } = await open();
    const placed = (await loadSample('order-in-sqlite.ts'))(database, sessions, 'nobody', 'o-1');
    await expect(placed).rejects.toMatchObject({ name: 'SessionFailure' });
    expect([await orders(), await told()]).toEqual([[], []]);
  });
});

describeWithPostgres('the documented transaction on PostgreSQL', () => {
  const open = async () => {
    const host = await openPostgresHost();
    const { pool, schema } = host;
    // The sample finds `orders` in the schema of the test.
    const connect = async () => {
      const client = await pool.connect();
      await client.query(`SET search_path TO "${schema}"`);
      return client;
    };
    return { ...(await openChat(host.store)), ...host, placing: { connect } };
  };

  test('stores the order together with its message', async () => {
    const { sessions, told, placing, orders } = await open();
    await (await loadSample('order.ts'))(placing, sessions, 'chat', 'o-1');
    expect([await orders(), await told()]).toEqual([['o-1'], [ARRIVED]]);
  });

  test('stores no order without its message', async () => {
    const { sessions, told, placing, orders } = await open();
    const placed = (await loadSample('order.ts'))(placing, sessions, 'nobody', 'o-1');
    await expect(placed).rejects.toMatchObject({ name: 'SessionFailure' });
    expect([await orders(), await told()]).toEqual([[], []]);
  });

  test('stores the order and a pg-boss job together, or neither', async () => {
    const { sessions, told, pool } = await open();
    const boss = new PgBoss({
      connectionString: inject('postgres')?.url ?? '',
      schema: schemaName(),
      supervise: false,
      schedule: false,
    });
    onTestFinished(() => boss.stop({ graceful: false }));
    await boss.start();
    await boss.createQueue('ship');
    for (const [order, end] of [
      ['o-1', 'COMMIT'],
      ['o-2', 'ROLLBACK'],
    ] as const) {
      const client = await pool.connect();
      await client.query('BEGIN');
      const message = { id: `order-${order}`, content: `Order ${order} has arrived.` };
      await okOf(sessions.within(client).send('chat', message));
      await boss.send(
        'ship',
        { order },
        { db: { executeSql: (text, values) => client.query(text, values) } },
      );
      await client.query(end);
      client.release();
    }
    const jobs = await boss.fetch('ship', { batchSize: 10 });
    expect([jobs.map(({ data }) => data), await told()]).toEqual([[{ order: 'o-1' }], [ARRIVED]]);
  });
});
