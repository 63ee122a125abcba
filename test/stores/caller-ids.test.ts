import { expect, test } from 'vitest';
import { SessionService } from '../../src/service/session-service.js';
import { upTo } from '../../src/testing/samples.js';
import { databasesAndClients, describeDatabases, newDatabase } from '../support/databases.js';
import { describeStores } from '../support/describe-stores.js';
import { ManualClock } from '../support/manual-clock.js';
import { errorOf, okOf } from '../support/sessions.js';

const CALLERS = 16;

describeDatabases(
  `${CALLERS} callers of two processes`,
  (kind) => {
    test('receive the same session from getOrCreate under one id', async () => {
      const database = await newDatabase(kind);
      const services = upTo(2).map(() => new SessionService({ store: database.open() }));
      const [service] = services;
      if (service === undefined) throw new Error('there is no service');
      for (const id of ['chat-1', 'user-7:chat/2']) {
        const calls = upTo(CALLERS).map((at) => {
          const input = { id, context: `${at}`, entries: [{ role: 'user', content: `${at}` }] };
          return okOf((services[at % 2] ?? service).getOrCreate(input));
        });
        const got = await Promise.all(calls);
        const creators = got.filter(({ created }) => created);
        expect(creators).toHaveLength(1);
        expect(new Set(got.map(({ options }) => options.context))).toEqual(
          new Set([creators[0]?.options.context]),
        );
        expect(await okOf(service.get(id))).toMatchObject({
          id,
          status: 'ACTIVE',
          historyCount: 1,
        });
      }
    });

    test('create one session under one id', async () => {
      const database = await newDatabase(kind);
      const service = new SessionService({ store: database.open() });
      const created = await Promise.all(upTo(CALLERS).map(() => service.create({ id: 'chat-1' })));
      expect(created.filter((result) => result.isOk())).toHaveLength(1);
      const errors = created.flatMap((result) => (result.isErr() ? [result.error.type] : []));
      expect(new Set(errors)).toEqual(new Set(['id_taken']));
    });
  },
  databasesAndClients,
);

describeStores('caller-chosen ids', (open) => {
  const clock = new ManualClock();
  const serviceOf = async () => new SessionService({ store: await open(), clock });

  test('let getOrCreate return a session whatever its options and status', async () => {
    const sessions = await serviceOf();
    const first = await okOf(
      sessions.getOrCreate({ id: 'chat-1', behavior: 'You are brief.', timeLimit: 60 }),
    );
    expect(first).toMatchObject({ created: true, status: 'ACTIVE', id: 'chat-1' });
    await okOf(sessions.append('chat-1', [{ role: 'user', content: 'Hello' }]));
    await okOf(sessions.terminate('chat-1'));
    const again = await okOf(
      sessions.getOrCreate({ id: 'chat-1', behavior: 'You are kind.', historyLimit: 0 }),
    );
    expect(again).toMatchObject({
      created: false,
      status: 'TERMINATED',
      historyCount: 1,
      history: [],
    });
    expect(again.options.behavior).toBe('You are brief.');
  });

  test('let getOrCreate create without a start, with entries, or as a fork', async () => {
    const sessions = await serviceOf();
    const words = [{ role: 'user', content: 'Hello' }];
    await okOf(sessions.getOrCreate({ id: 'chat-1', start: false, entries: words }));
    const fork = await okOf(
      sessions.getOrCreate({ id: 'chat-2', from: { id: 'chat-1' }, labels: { user: 'u-1' } }),
    );
    expect(fork).toMatchObject({
      historyCount: 1,
      labels: { user: 'u-1' },
      origin: { id: 'chat-1' },
    });
    expect(await okOf(sessions.get('chat-1'))).toMatchObject({ status: 'IDLE' });
  });

  test('are separate for each tenant', async () => {
    const sessions = await serviceOf();
    await okOf(sessions.create({ id: 'chat-1' }));
    expect(await errorOf(sessions.create({ id: 'chat-1' }))).toEqual({
      type: 'id_taken',
      message: 'another session has this id',
      id: 'chat-1',
    });
    expect(await okOf(sessions.forTenant('acme').create({ id: 'chat-1' }))).toMatchObject({
      id: 'chat-1',
    });
  });

  test('combined with an idempotency key allow a repeated create', async () => {
    const sessions = await serviceOf();
    const input = { id: 'chat-1', idempotencyKey: 'request-1' };
    await okOf(sessions.create(input));
    expect(await okOf(sessions.create(input))).toMatchObject({ id: 'chat-1', repeated: true });
    expect(await errorOf(sessions.create({ ...input, idempotencyKey: 'request-2' }))).toMatchObject(
      {
        type: 'id_taken',
      },
    );
    expect(await errorOf(sessions.create({ ...input, behavior: 'You sing.' }))).toMatchObject({
      type: 'id_taken',
    });
  });

  test('must be valid, and exclude an idempotency key in getOrCreate', async () => {
    const sessions = await serviceOf();
    await okOf(sessions.list());
    const withKey = { id: 'chat-1', idempotencyKey: 'request-1' };
    const errors = [
      await errorOf(sessions.create({ id: '' })),
      await errorOf(sessions.getOrCreate({ id: 'x'.repeat(257) })),
      await errorOf(sessions.getOrCreate(withKey)),
    ];
    expect(errors.map(({ message }) => message)).toEqual([
      'id must have 1 to 256 characters',
      'id must have 1 to 256 characters',
      'idempotencyKey is not needed: the id makes the call safe to repeat',
    ]);
  });
});
