import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/service/session-service.js';
import { ada, errorOf, okOf, openSessions } from '../support/sessions.js';

/** A service as JavaScript can make one: with options of any type. */
const serviceWith = (options: unknown): SessionService =>
  Reflect.construct(SessionService, [options]);

const bad: readonly (readonly [field: string, value: unknown])[] = [
  ...[undefined, null, 5, 'redis', [], {}].map((value) => ['store', value] as const),
  ...[null, 5, 'now', []].map((value) => ['clock', value] as const),
  ...[null, 5, 'uuid', []].map((value) => ['ids', value] as const),
  ...['', 'x'.repeat(257), null, 5, {}].map((value) => ['tenant', value] as const),
  ...[-1, Number.NaN, Number.POSITIVE_INFINITY, '60', null, 31_536_001].map(
    (value) => ['idleTimeout', value] as const,
  ),
  ...['ada', 5, {}, [5], [null], new Set(['ada'])].map((value) => ['faces', value] as const),
  ...['tutor', true, [undefined]].map((value) => ['profiles', value] as const),
  ...[null, 5, 'many', []].map((value) => ['limits', value] as const),
];

const limits = [
  'timeLimit',
  'textBytes',
  'contentBytes',
  'entriesPerAppend',
  'historyEntries',
  'pageBytes',
];
const badLimits = limits.flatMap((field) =>
  [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5', {}].map((value) => [field, value] as const),
);

describe('a service with invalid options', () => {
  test.for(bad)('throws a TypeError that names the option: %s = %j', ([field, value]) => {
    const make = () => serviceWith({ store: new MemorySessionStore(), [field]: value });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(new RegExp(`^SessionService: ${field} [^;]*$`));
  });

  test.for(badLimits)('throws a TypeError that names the limit: %s = %j', ([field, value]) => {
    const make = () => serviceWith({ store: new MemorySessionStore(), limits: { [field]: value } });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(new RegExp(`^SessionService: limits\\.${field} [^;]*$`));
  });

  test.for([undefined, null, 5, 'options'])('throws for %j instead of options', (options) => {
    expect(() => serviceWith(options)).toThrow(
      new TypeError('SessionService: options must be an object'),
    );
  });

  test('lists all invalid settings in one error, and suggests the nearest names', () => {
    const options = { tenant: '', idleTimout: 60, idleTimeout: -1, limits: { pageByte: 5 } };
    expect(() => serviceWith(options)).toThrow(
      new TypeError(
        'SessionService: idleTimout is unknown (did you mean idleTimeout?); ' +
          'store must be a SessionStore; ' +
          'tenant must have 1 to 256 characters; idleTimeout must be a number from 0 to 31536000; ' +
          'limits.pageByte is unknown (did you mean pageBytes?)',
      ),
    );
  });

  test.for([
    ['a store', { store: { insert: () => undefined } }, 'store'],
    ['a clock', { clock: {} }, 'clock'],
    ['ids', { ids: {} }, 'ids'],
  ] as const)('throws if %s lacks a method', ([, options, path]) => {
    const make = () => serviceWith({ store: new MemorySessionStore(), ...options });
    expect(make).toThrow(`SessionService: ${path} must be`);
  });

  test.for([undefined, null, '', 5, 'x'.repeat(257)])(
    'reports an invalid tenant %j with the call, not in forTenant',
    async (tenant) => {
      const { sessions } = openSessions();
      const theirs: SessionService = Reflect.apply(sessions.forTenant, sessions, [tenant]);
      expect(await errorOf(theirs.list())).toMatchObject({
        type: 'invalid_input',
        issues: [{ path: 'tenant' }],
      });
      for await (const change of theirs.watchAll())
        expect(change._unsafeUnwrapErr().type).toBe('invalid_input');
      expect(await okOf(theirs.forTenant('acme').list())).toMatchObject({ total: 0 });
    },
  );
});

describe("a host's limits", () => {
  test('replace the defaults one by one', async () => {
    const { sessions } = openSessions({ limits: { timeLimit: 60, textBytes: 3 } });
    expect((await okOf(sessions.create({ ...ada, timeLimit: 60, context: 'abc' }))).status).toBe(
      'IDLE',
    );
    const error = await errorOf(
      sessions.create({ ...ada, timeLimit: 61, context: '\u00E9\u00E9' }),
    );
    expect(error).toMatchObject({
      issues: [
        { path: 'context', message: 'must have at most 3 bytes of UTF-8' },
        { path: 'timeLimit', message: 'must be a number from 0 to 60' },
      ],
    });
  });

  test('are copied, so that later changes of the options have no effect', async () => {
    const faces = ['ada'];
    const limits = { timeLimit: 60 };
    const { sessions } = openSessions({ faces, limits });
    faces.push('bob');
    limits.timeLimit = 6000;
    expect(await errorOf(sessions.create({ ...ada, face: 'bob' }))).toMatchObject({
      issues: [{ path: 'face' }],
    });
    expect(await errorOf(sessions.create({ ...ada, timeLimit: 61 }))).toMatchObject({
      issues: [{ path: 'timeLimit' }],
    });
  });

  test('on time apply to sessions that are created without a time limit, or with 0', async () => {
    const { sessions, clock } = openSessions({ limits: { timeLimit: 60 } });
    for (const input of [{}, { timeLimit: 0 }, { timeLimit: null }]) {
      const created: ReturnType<SessionService['create']> = Reflect.apply(
        sessions.create,
        sessions,
        [{ ...ada, ...input }],
      );
      const { id, options } = await okOf(created);
      expect(options.timeLimit).toBe(60);
      await okOf(sessions.start(id));
      clock.pass(59_999);
      expect(await okOf(sessions.get(id))).toMatchObject({
        status: 'ACTIVE',
        options: { timeLimit: 60 },
      });
      clock.pass(1);
      expect(await okOf(sessions.get(id))).toMatchObject({
        status: 'TERMINATED',
        endReason: 'time_limit',
        duration: 60,
      });
    }
    expect((await okOf(sessions.create({ ...ada, timeLimit: 5 }))).options.timeLimit).toBe(5);
  });

  test('on time are off by default, so that a session without a time limit goes on', async () => {
    for (const limits of [{}, { textBytes: 3 }, { timeLimit: undefined }]) {
      const opened: ReturnType<typeof openSessions> = Reflect.apply(openSessions, undefined, [
        { limits },
      ]);
      const { sessions, clock } = opened;
      const { id, options } = await okOf(sessions.create(ada));
      expect(options.timeLimit).toBe(0);
      await okOf(sessions.start(id));
      clock.pass(40 * 86_400_000);
      expect(await okOf(sessions.get(id))).toMatchObject({
        status: 'ACTIVE',
        duration: 40 * 86_400,
      });
      expect(await errorOf(sessions.create({ ...ada, timeLimit: 2_592_001 }))).toMatchObject({
        type: 'invalid_input',
      });
    }
  });

  test('on time may change, and a repeated create still returns its session with the original limit', async () => {
    const { sessions, store } = openSessions({ limits: { timeLimit: 60 } });
    const input = { ...ada, idempotencyKey: 'order-17' };
    const { id } = await okOf(sessions.create(input));
    const later = openSessions({ store, limits: { timeLimit: 90 } }).sessions;
    expect(await okOf(later.create(input))).toMatchObject({ id, options: { timeLimit: 60 } });
    expect(await errorOf(later.create({ ...input, timeLimit: 60 }))).toMatchObject({
      type: 'idempotency_mismatch',
    });
  });

  test('may be lists of allowed names', async () => {
    const { sessions } = openSessions({ faces: ['ada', 'bob'], profiles: [] });
    expect(await errorOf(sessions.create(ada))).toMatchObject({
      issues: [{ path: 'profile', message: 'is not one of the names that this host allows' }],
    });
  });
});

describe('a service without settings', () => {
  test("uses the machine's clock, and long random ids", async () => {
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
