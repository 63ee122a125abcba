import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createSweeper, createWorker, SessionService } from '../../src/index.js';
import { ada, call, errorOf, type Operation, okOf } from '../support/sessions.js';
import { describeHosts, openWithin } from './hosts.js';

const holder = { holder: 'w', seconds: 30 };

const refused: readonly (readonly [Operation, ...unknown[]])[] = [
  ['answer', 'chat', 'm-1'],
  ['reply', 'chat', 'Hello', () => 'Yes.'],
  ['lease', 'chat', holder],
  ['renew', 'chat', { fencingToken: 1, seconds: 30 }],
  ['withLease', 'chat', holder, () => undefined],
  ['release', 'chat', { fencingToken: 1 }],
  ['take', 'chat', { fencingToken: 1 }],
  ['claim', holder],
  ['claimAny', holder],
  ['sweep'],
];

describeHosts("within a host's transaction", (kind) => {
  test.for(refused)('%s returns misconfigured with its name', async ([operation, ...args]) => {
    const { sessions, begin } = await openWithin(kind);
    await okOf(sessions.create({ ...ada, id: 'chat' }));
    const { transaction, inside } = await begin();
    expect(await errorOf(call(inside, operation, ...args))).toMatchObject({
      type: 'misconfigured',
      message: `${operation} cannot be in a transaction: call it on the service itself`,
    });
    await okOf(inside.get('chat'));
    await transaction.rollback();
  });

  test.for(['watch', 'watchAll'] as const)(
    '%s returns misconfigured with its name',
    async (name) => {
      const { begin } = await openWithin(kind);
      const { transaction, inside } = await begin();
      const watch: AsyncIterable<{ _unsafeUnwrapErr(): unknown }> = Reflect.apply(
        inside[name],
        inside,
        name === 'watch' ? ['chat'] : [],
      );
      const errors: unknown[] = [];
      for await (const item of watch) errors.push(item._unsafeUnwrapErr());
      expect(errors).toMatchObject([
        {
          type: 'misconfigured',
          message: `${name} cannot be in a transaction: call it on the service itself`,
        },
      ]);
      await transaction.rollback();
    },
  );

  test('workers and sweepers throw a TypeError', async () => {
    const { begin } = await openWithin(kind);
    const { transaction, inside } = await begin();
    expect(() => createWorker(inside, { run: () => 'Yes.' })).toThrow(
      new TypeError('createWorker: sessions must not be in a transaction'),
    );
    expect(() => createSweeper(inside)).toThrow(
      new TypeError('createSweeper: sessions must not be in a transaction'),
    );
    await transaction.rollback();
  });

  test('another transaction throws a TypeError', async () => {
    const { begin } = await openWithin(kind);
    const { transaction, inside } = await begin();
    expect(() => inside.within(transaction.client)).toThrow(TypeError);
    await transaction.rollback();
  });

  test.for([undefined, null, 5, 'client', {}, [], { query: 'SELECT 1' }, Proxy.revocable({}, {})])(
    'a client of %j throws a TypeError',
    async (client) => {
      const { sessions } = await openWithin(kind);
      const call = () => Reflect.apply(sessions.within, sessions, [client]);
      expect(call).toThrow(TypeError);
      expect(call).toThrow(/^within: client must /);
    },
  );

  test('a write without a transaction fails, and changes nothing', async () => {
    const { sessions, begin, rows } = await openWithin(kind);
    await okOf(sessions.create({ ...ada, id: 'chat' }));
    const { transaction, inside } = await begin();
    await transaction.rollback();
    const before = await rows();
    expect(await errorOf(inside.wake('chat'))).toMatchObject({
      type: 'misconfigured',
      message: 'within: the connection is not in a transaction: begin one first',
    });
    expect(await rows()).toEqual(before);
  });
});

test('within() throws a TypeError for a store without transactions', () => {
  const sessions = new SessionService({ store: new MemorySessionStore() });
  expect(() => sessions.within({})).toThrow(
    new TypeError('within: the store cannot be in a transaction of the caller'),
  );
});
