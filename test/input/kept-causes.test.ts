import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionClient } from '../../src/client/index.js';
import { createSessionHandler } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { ada, okOf } from '../support/sessions.js';

const cause = new Error('thrown by a getter');

const fail = (): never => {
  throw cause;
};

const throwing = (name: string) => Object.defineProperty({}, name, { get: fail, enumerable: true });

const untyped = (value: unknown): never => value as never;

const store = new MemorySessionStore();
const sessions = new SessionService({ store });

test.each([
  ['SessionService', () => new SessionService(untyped(throwing('store')))],
  ['SessionClient', () => new SessionClient(untyped(throwing('fetch')))],
  ['createSessionHandler', () => createSessionHandler(untyped(throwing('sessions')))],
  ['MemorySessionStore', () => new MemorySessionStore(untyped(throwing('events')))],
])("the TypeError of %s has the exception of an option's getter as its cause", (_, make) => {
  expect(make).toThrow(expect.objectContaining({ name: 'TypeError', cause }));
});

test.each([
  ['create', () => sessions.create(untyped(throwing('face')))],
  ['list', () => sessions.list(untyped(throwing('limit')))],
  ['append', () => sessions.append('s1', [untyped(throwing('role'))])],
  ['update', () => sessions.update('s1', untyped(throwing('labels')))],
])(
  "the invalid_input of %s has the exception of an input's getter as its cause",
  async (_, call) => {
    const error = (await call())._unsafeUnwrapErr();
    expect(error).toMatchObject({ type: 'invalid_input', cause });
  },
);

test.each([
  ['clock', new SessionService({ store, clock: { now: fail } })],
  ['ids', new SessionService({ store, ids: { next: fail } })],
])("the error about a host's %s has the thrown exception as its cause", async (_, broken) => {
  const error = (await broken.create(ada))._unsafeUnwrapErr();
  expect(error).toMatchObject({ type: 'misconfigured', cause });
});

test('an error without an exception has no cause', async () => {
  await okOf(sessions.create(ada));
  expect((await sessions.create({ face: '' }))._unsafeUnwrapErr()).not.toHaveProperty('cause');
  const make = () => new SessionClient({ baseUrl: 'x' });
  expect(make).toThrow(expect.not.objectContaining({ cause: expect.anything() }));
});
