import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/service/session-service.js';
import { ada, call, errorOf, type Operation, okOf, openSessions } from '../support/sessions.js';

const operations: readonly (readonly [Operation, ...unknown[]])[] = [
  ['create', ada],
  ['get', 's1'],
  ['history', 's1'],
  ['list'],
  ['start', 's1'],
  ['append', 's1', [{ role: 'user', content: 'hello' }]],
  ['pause', 's1'],
  ['resume', 's1'],
  ['terminate', 's1'],
  ['fail', 's1'],
  ['delete', 's1'],
];

/** A service as JavaScript can make one: with options of any type. */
const serviceWith = (options: unknown): SessionService => Reflect.construct(SessionService, [options]);

const bad: readonly (readonly [field: string, value: unknown])[] = [
  ...[undefined, null, 5, 'redis', []].map((value) => ['store', value] as const),
  ...[null, 5, 'now', []].map((value) => ['clock', value] as const),
  ...[null, 5, 'uuid', []].map((value) => ['ids', value] as const),
  ...['', 'x'.repeat(257), null, 5, {}].map((value) => ['tenant', value] as const),
  ...[-1, Number.NaN, Number.POSITIVE_INFINITY, '60', null, 31_536_001].map((value) => ['idleTimeout', value] as const),
  ...['ada', 5, {}, [5], [null], new Set(['ada'])].map((value) => ['faces', value] as const),
  ...['tutor', true, [undefined]].map((value) => ['profiles', value] as const),
];

const limits = ['timeLimit', 'textBytes', 'contentBytes', 'entriesPerAppend', 'historyEntries'];
const badLimits = limits.flatMap((field) =>
  [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5', {}].map((value) => [field, value] as const),
);

describe('a service with options that break a rule', () => {
  test.for(bad)('does not throw, and every operation names it: %s = %j', async ([field, value]) => {
    const sessions = serviceWith({ store: new MemorySessionStore(), [field]: value });
    for (const [operation, ...args] of operations) {
      const error = await errorOf(call(sessions, operation, ...args));
      expect(error).toMatchObject({ type: 'invalid_input', issues: [{ path: field }] });
      expect(await errorOf(call(sessions.forTenant('acme'), operation, ...args))).toEqual(error);
    }
  });

  test.for(badLimits)('does not throw, and names the limit: %s = %j', async ([field, value]) => {
    const sessions = serviceWith({ store: new MemorySessionStore(), limits: { [field]: value } });
    expect(await errorOf(sessions.create(ada))).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: `limits.${field}` }],
    });
  });

  test.for([undefined, null, 5, 'options', []])('does not throw either for no options at all', async (options) => {
    expect((await errorOf(serviceWith(options).list())).type).toBe('invalid_input');
  });

  test('tells all that is wrong at once', async () => {
    const error = await errorOf(serviceWith({ tenant: '', idleTimeout: -1 }).list());
    expect(error).toMatchObject({ issues: [{ path: 'store' }, { path: 'tenant' }, { path: 'idleTimeout' }] });
  });

  test.for([
    ['a clock', { clock: {} }, 'clock'],
    ['ids', { ids: {} }, 'ids'],
  ] as const)('says so where %s cannot do what it is for', async ([, options, path]) => {
    const sessions = serviceWith({ store: new MemorySessionStore(), ...options });
    expect(await errorOf(sessions.create(ada))).toMatchObject({ type: 'invalid_input', issues: [{ path }] });
  });
});

describe('the limits of a host', () => {
  test('take the place of the defaults, one by one', async () => {
    const { sessions } = openSessions({ limits: { timeLimit: 60, textBytes: 3 } });
    expect((await okOf(sessions.create({ ...ada, timeLimit: 60, context: 'abc' }))).status).toBe('IDLE');
    const error = await errorOf(sessions.create({ ...ada, timeLimit: 61, context: '\u00E9\u00E9' }));
    expect(error).toMatchObject({
      issues: [
        { path: 'context', message: 'must have at most 3 bytes of UTF-8' },
        { path: 'timeLimit', message: 'must be a number from 0 to 60' },
      ],
    });
  });

  test('are taken when the service is made, and not changed by changing the options later', async () => {
    const faces = ['ada'];
    const limits = { timeLimit: 60 };
    const { sessions } = openSessions({ faces, limits });
    faces.push('bob');
    limits.timeLimit = 6000;
    expect(await errorOf(sessions.create({ ...ada, face: 'bob' }))).toMatchObject({ issues: [{ path: 'face' }] });
    expect(await errorOf(sessions.create({ ...ada, timeLimit: 61 }))).toMatchObject({
      issues: [{ path: 'timeLimit' }],
    });
  });

  test('may be lists of names: those on them are allowed and no others', async () => {
    const { sessions } = openSessions({ faces: ['ada', 'bob'], profiles: [] });
    expect(await errorOf(sessions.create(ada))).toMatchObject({
      issues: [{ path: 'profile', message: 'is not one of the names that this host allows' }],
    });
  });
});

describe('without settings', () => {
  test('the clock is the machine\u2019s, and ids are long and random', async () => {
    const sessions = new SessionService({ store: new MemorySessionStore() });
    const before = Date.now();
    const [one, two] = [await okOf(sessions.create(ada)), await okOf(sessions.create(ada))];
    const createdAt = Date.parse(one.createdAt);
    expect(createdAt).toBeGreaterThanOrEqual(before);
    expect(createdAt).toBeLessThanOrEqual(Date.now());
    expect(one.id).toMatch(/^[\w-]{21}$/);
    expect(two.id).not.toBe(one.id);
  });
});
