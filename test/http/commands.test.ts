import { err, ok } from 'neverthrow';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { commandRoutes, createSessionHandler, eventRoutes } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { corruptRecord, storeUnavailable } from '../../src/session/errors.js';
import { revoked, throwing } from '../support/hostile-values.js';
import { changed } from '../support/store-doubles.js';
import { timersLeftBy } from '../support/timers-left-by.js';
import { handlerWith, request, seen } from './handler-harness.js';

const SECRET = 'redis://user:password@10.0.0.1';

const entries = new TextEncoder().encode('{"entries":[{"role":"user","content":"Hello"}]}');

const timeLimit = new TextEncoder().encode('{"time_limit":60}');

/** One good request of each command. */
const commands = [
  ...['start', 'pause', 'resume', 'terminate', 'fail'].map((name) =>
    request('POST', `/${name}-session/x`),
  ),
  request('POST', '/extend-session/x', {
    body: async () => ({ outcome: 'read', bytes: timeLimit }),
  }),
  request('POST', '/append-history/x', { body: async () => ({ outcome: 'read', bytes: entries }) }),
  request('POST', '/delete-session/x'),
].map((each) => [each.url, each] as const);

afterEach(() => {
  vi.useRealTimers();
});

describe('commands over HTTP', () => {
  test.each(commands)('%s answers 404 unless the host enables commands', async (_url, each) => {
    for (const options of [{}, { routes: [] }, { routes: [eventRoutes()] }]) {
      expect(await handlerWith(options).handler(each)).toBeUndefined();
      expect(await handlerWith(options).handler({ ...each, method: 'GET' })).toBeUndefined();
    }
    expect(await handlerWith({ routes: [commandRoutes()] }).handler(each)).toBeDefined();
  });

  test.each(commands)(
    '%s answers 500 misconfigured over sessions without commands',
    async (_url, each) => {
      const { sessions, authenticate } = handlerOptions();
      const told = vi.fn();
      const readers = { forTenant: (tenant: string) => ({ get: sessions.forTenant(tenant).get }) };
      const options = { sessions: readers, authenticate, routes: [commandRoutes()], onError: told };
      const handler = Reflect.apply(createSessionHandler, undefined, [options]);
      expect(seen(await handler(each))).toEqual([500, 'misconfigured']);
      expect(told.mock.calls).toMatchObject([[{ message: expect.stringMatching(/^sessions/) }]]);
    },
  );

  test.each(commands)(
    '%s does not blame the client for a broken clock of the host',
    async (_url, each) => {
      const sessions = new SessionService({
        store: new MemorySessionStore(),
        clock: { now: () => Number.NaN },
      });
      const { handler, told } = handlerWith({ sessions, routes: [commandRoutes()] });
      expect(seen(await handler(each))).toEqual([500, 'misconfigured']);
      expect(told).toMatchObject([{ message: expect.stringMatching(/^clock/) }]);
    },
  );

  test('answer why a session has ended', async () => {
    const clock = { now: () => 0 };
    const sessions = new SessionService({
      store: new MemorySessionStore(),
      clock,
      ids: { next: () => 'x' },
      idleTimeout: 1,
    });
    const { handler } = handlerWith({ sessions, routes: [commandRoutes()] });
    await sessions.forTenant('acme').create({ face: 'ada', profile: 'tutor' });
    clock.now = () => 1000;
    const response = await handler(request('POST', '/terminate-session/x'));
    expect(JSON.parse(response?.body ?? '')).toMatchObject({
      id: 'x',
      status: 'TERMINATED',
      duration: 0,
      end_reason: 'idle_timeout',
    });
  });
});

test('a time limit that the session has used up is answered with 400 and named', async () => {
  const clock = { now: () => 0 };
  const sessions = new SessionService({
    store: new MemorySessionStore(),
    clock,
    ids: { next: () => 'x' },
  });
  const { handler } = handlerWith({ sessions, routes: [commandRoutes()] });
  await sessions.forTenant('acme').create({ face: 'ada', profile: 'tutor', timeLimit: 100 });
  await sessions.forTenant('acme').start('x');
  clock.now = () => 60_000;
  const response = await handler(
    request('POST', '/extend-session/x', {
      body: async () => ({ outcome: 'read', bytes: timeLimit }),
    }),
  );
  expect(seen(response)).toEqual([400, 'invalid_input']);
  expect(JSON.parse(response?.body ?? '')).toMatchObject({ errors: [{ path: 'time_limit' }] });
});

const handlerOptions = () => ({
  sessions: new SessionService({ store: new MemorySessionStore() }),
  authenticate: () => 'acme',
});

/** A service over a store whose writes do something else. */
const serviceWith = (misdeed: () => unknown): SessionService => {
  const methods = { findState: misdeed, change: misdeed, remove: misdeed };
  return new SessionService({
    store: changed(new MemorySessionStore(), Object.fromEntries(Object.entries(methods))),
  });
};

const misdeeds: readonly (readonly [string, () => unknown])[] = [
  [
    'throws',
    () => {
      throw new Error(SECRET);
    },
  ],
  ['rejects', () => Promise.reject(new Error(SECRET))],
  ['gives nothing', () => undefined],
  ['gives what throws', throwing],
  ['gives a revoked proxy', revoked],
  ['says that it cannot', () => err(storeUnavailable(SECRET, 'unknown', new Error(SECRET)))],
  ['gives an error of no known type', () => err({ type: 'nonsense', message: SECRET })],
];

describe('commands over a failing store', () => {
  const cases = commands.flatMap(([url, each]) =>
    misdeeds.map(([kind, misdeed]) => [url, kind, each, misdeed] as const),
  );

  test.for(cases)(
    '%s answers 503 if the store %s, without revealing its words',
    async ([, , each, misdeed]) => {
      const { handler, told } = handlerWith({
        sessions: serviceWith(misdeed),
        routes: [commandRoutes()],
      });
      const response = await handler(each);
      expect(seen(response)).toEqual([503, 'store_unavailable']);
      expect(JSON.stringify(response)).not.toContain(SECRET);
      expect(told).toHaveLength(1);
    },
  );

  test.each(commands)('%s answers 500 for a damaged record', async (_url, each) => {
    const { handler } = handlerWith({
      sessions: serviceWith(() => err(corruptRecord('x', SECRET))),
      routes: [commandRoutes()],
    });
    expect(seen(await handler(each))).toEqual([500, 'corrupt_record']);
  });

  test.each([undefined, null, 'much', Number.NaN, 1.5])(
    'reject a position of %j from the store',
    async (position) => {
      const sessions = serviceWith(() => ok({ outcome: 'made', position }));
      const { handler } = handlerWith({ sessions, routes: [commandRoutes()] });
      const append =
        commands.find(([url]) => url.startsWith('/append'))?.[1] ?? request('POST', '/');
      expect(seen(await handler(append))).toEqual([503, 'store_unavailable']);
    },
  );

  test.each(commands)('%s answers 503 in time if the store never answers', async (_url, each) => {
    vi.useFakeTimers();
    const sessions = serviceWith(() => new Promise(() => undefined));
    const { handler } = handlerWith({ sessions, routes: [commandRoutes()], timeoutMs: 50 });
    const left = await timersLeftBy(async () => {
      const response = handler(each);
      await vi.advanceTimersByTimeAsync(50);
      expect(seen(await response)).toEqual([503, 'store_unavailable']);
    });
    expect(left).toBe(0);
  });
});
