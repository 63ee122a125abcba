import { err, ok, ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/service/session-service.js';
import { corruptRecord, storeUnavailable } from '../../src/session/errors.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { revoked, throwing } from '../support/hostile-values.js';
import { ManualClock } from '../support/manual-clock.js';
import { ada, call, errorOf, type Operation, okOf, openSessions } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

type Method = Exclude<keyof SessionStore, 'due'>;

const hello = [{ role: 'user', content: 'hello' }];

/** Every operation with valid arguments, and the store methods that it calls, in order. */
const operations: readonly (readonly [Operation, readonly unknown[], readonly Method[]])[] = [
  ['create', [ada], ['begin']],
  ['create', [{ ...ada, idempotencyKey: 'taken' }], ['begin', 'find']],
  ['get', ['s1'], ['find']],
  ['history', ['s1'], ['entries']],
  ['list', [], ['page']],
  ['start', ['s1'], ['findState', 'change']],
  ['fail', ['s1', { operationId: 'op' }], ['findState', 'change']],
  ['append', ['s2', hello], ['change']],
  ['delete', ['s1'], ['remove']],
];

const throws = (): never => {
  throw new Error('out of order');
};

const thenable = (then: unknown): unknown => Object.fromEntries([['then', then]]);

/** Ways in which any method can break the contract. */
const misdeeds: Readonly<Record<string, () => unknown>> = {
  throws,
  rejects: () => Promise.reject(new Error('out of order')),
  'rejects later, with nothing': async () => {
    await Promise.resolve();
    return Promise.reject();
  },
  'gives undefined': () => undefined,
  'gives null': () => null,
  'gives a number': () => 5,
  'gives a text': () => 'OK',
  'gives an object': () => ({}),
  'gives an array': () => [],
  'gives a function': () => () => ok(undefined),
  'gives what throws': throwing,
  'gives a revoked proxy': revoked,
  'gives undefined later': async () => undefined,
  'gives an object later': async () => ({ value: 'inserted' }),
  'gives what throws later': async () => throwing(),
  'gives a result that rejects': () => new ResultAsync(Promise.reject(new Error('out of order'))),
  'gives a thenable that throws': () => thenable(throws),
  'gives a thenable that rejects': () =>
    thenable((_: unknown, reject: (cause: unknown) => void) => reject('no')),
  'gives a thenable that is none': () => thenable('later'),
};

/** A service on a store with an IDLE and an ACTIVE session. One method of the store misbehaves. */
const withMisdeed = async (method: Method, misdeed: () => unknown) => {
  const store = new MemorySessionStore();
  const { sessions } = openSessions({ store });
  await okOf(sessions.create(ada));
  await okOf(sessions.create(ada));
  await okOf(sessions.start('s2'));
  await okOf(sessions.create({ ...ada, idempotencyKey: 'taken' }));
  return new SessionService({
    store: changed(store, { [method]: misdeed }),
    clock: new ManualClock(),
  });
};

describe('a store that breaks its contract', () => {
  const asked = operations.flatMap(([operation, args, methods]) =>
    methods.flatMap((method) =>
      Object.keys(misdeeds).map((kind) => [operation, method, kind, args] as const),
    ),
  );

  test.for(asked)(
    'fails %s, without a throw, if its %s %s',
    async ([operation, method, kind, args]) => {
      const sessions = await withMisdeed(method, misdeeds[kind] ?? throws);
      const result = await call(sessions, operation, ...args);
      expect(result.isErr()).toBe(true);
      const writes = !['get', 'history', 'list'].includes(operation);
      expect(result._unsafeUnwrapErr()).toMatchObject({
        type: 'store_unavailable',
        outcome: writes ? 'unknown' : 'not_applied',
      });
    },
  );

  test('is reported with the exception as the cause, for logs', async () => {
    const cause = new Error('out of order');
    const sessions = await withMisdeed('change', () => Promise.reject(cause));
    expect(await errorOf(sessions.start('s1'))).toEqual({
      type: 'store_unavailable',
      message: 'the store threw an exception',
      outcome: 'unknown',
      cause,
    });
  });
});

describe('a store that returns a malformed record', () => {
  test.for([null, 5, 'OK', {}, [], { head: {} }, { head: null, state: null, history: null }])(
    'fails a get: %j',
    async (value) => {
      const sessions = await withMisdeed('find', () => ok(value));
      expect((await call(sessions, 'get', 's1')).isErr()).toBe(true);
    },
  );

  test.for([null, 5, 'OK', {}, [], { status: 'BUSY', revision: 1, operations: [] }])(
    'fails a start: %j',
    async (value) => {
      const sessions = await withMisdeed('findState', () => ok(value));
      expect((await call(sessions, 'start', 's1')).isErr()).toBe(true);
    },
  );

  test.for([
    undefined,
    null,
    5,
    'OK',
    {},
    { records: null },
    { records: 5, total: 0 },
    { records: [null], total: 1 },
  ])('fails a list: %j', async (value) => {
    const sessions = await withMisdeed('page', () => ok(value));
    expect((await call(sessions, 'list')).isErr()).toBe(true);
  });

  test.for([undefined, null, 5, 'OK', {}, { outcome: 'done' }, { outcome: 'refused' }])(
    'fails an append: %j',
    async (value) => {
      const sessions = await withMisdeed('change', () => ok(value));
      expect((await call(sessions, 'append', 's2', hello)).isErr()).toBe(true);
    },
  );

  test.for([undefined, null, 5, 'OK', {}, { outcome: 'MADE' }])(
    'fails a change: %j',
    async (value) => {
      const sessions = await withMisdeed('change', () => ok(value));
      expect((await call(sessions, 'start', 's1')).isErr()).toBe(true);
    },
  );
});

describe('a store that returns an error', () => {
  const asked = operations.flatMap(([operation, args, methods]) =>
    methods.map((method) => [operation, method, args] as const),
  );

  test.for(asked)('passes that error on from %s, by %s', async ([operation, method, args]) => {
    for (const error of [
      storeUnavailable('no connection', 'not_applied'),
      corruptRecord('s1', 'torn'),
    ]) {
      for (const answer of [() => err(error), async () => err(error)]) {
        const sessions = await withMisdeed(method, answer);
        expect(await errorOf(call(sessions, operation, ...args))).toBe(error);
      }
    }
  });
});
