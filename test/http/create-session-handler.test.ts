import { ok } from 'neverthrow';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import {
  type Authenticate,
  commandRoutes,
  createSessionHandler,
  type DeniedRequest,
  type SessionHandlerOptions,
} from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { inspectorRoutes } from '../../src/inspector/index.js';
import { openApiRoute } from '../../src/openapi/index.js';
import { revoked, throwing } from '../support/hostile-values.js';
import { handlerWith, operations, request, seen } from './handler-harness.js';

const SECRET = 'the-key-of-the-vault';

const throwsError = (): never => {
  throw new Error(SECRET);
};

/** Options as a caller in JavaScript may give them. */
const unchecked = (options: unknown) => Reflect.apply(createSessionHandler, undefined, [options]);

afterEach(() => {
  vi.useRealTimers();
});

describe('an authenticator', () => {
  const answersOf = async (options: Partial<SessionHandlerOptions<SessionService>>) => {
    const { handler, told } = handlerWith(options);
    const responses = await Promise.all(operations.map(([, each]) => handler(each)));
    expect(JSON.stringify(responses)).not.toContain(SECRET);
    return { told, answers: new Set(responses.map((response) => seen(response).join(' '))) };
  };

  /** Options with one that answers with what TypeScript would not let it. */
  const answering = (answer: unknown) => Object.fromEntries([['authenticate', () => answer]]);

  const failing: readonly (readonly [string, Partial<SessionHandlerOptions<SessionService>>])[] = [
    ['throws', { authenticate: throwsError }],
    ['rejects', { authenticate: () => Promise.reject(new Error(SECRET)) }],
    ['returns a thenable that throws', answering(Object.fromEntries([['then', throwsError]]))],
    ['returns an object that throws when it is read', answering(throwing())],
  ];

  test.each(failing)('leads to 503 and a report to the host if it %s', async (_name, options) => {
    const { told, answers } = await answersOf(options);
    expect(answers).toEqual(new Set(['503 authenticator_unavailable']));
    expect(told).toHaveLength(operations.length);
  });

  test('leads to 503 in time if it never answers', async () => {
    vi.useFakeTimers();
    const { handler } = handlerWith({
      authenticate: () => new Promise(() => undefined),
      timeoutMs: 30,
    });
    const response = handler(request('GET', '/sessions'));
    await vi.advanceTimersByTimeAsync(30);
    expect(seen(await response)).toEqual([503, 'authenticator_unavailable']);
  });

  test.each([undefined, null, false, '', 0])(
    'denies the request if it returns %j, now or later',
    async (nothing) => {
      for (const answer of [nothing, Promise.resolve(nothing)]) {
        const { answers } = await answersOf(answering(answer));
        expect(answers).toEqual(new Set(['401 unauthenticated']));
      }
    },
  );

  test.each([true, 5, {}, [], ['acme'], () => 'acme', Symbol('acme'), 'x'.repeat(257)])(
    'leads to 500 misconfigured if it returns something other than a tenant: %#',
    async (nonsense) => {
      for (const answer of [nonsense, Promise.resolve(nonsense)]) {
        const { answers } = await answersOf(answering(answer));
        expect(answers).toEqual(new Set(['500 misconfigured']));
      }
    },
  );

  test('receives an empty key if the request has no key, so that it can check something else', async () => {
    const authenticate = vi.fn<Authenticate>((_key, { header }) =>
      header('cookie')?.replace('user=', ''),
    );
    const { handler } = handlerWith({ authenticate });
    const withHeaders = (headers: Readonly<Record<string, string>>) =>
      handler(
        request('GET', '/sessions?page=1', { prefix: '/api', header: (name) => headers[name] }),
      );
    expect((await withHeaders({ cookie: 'user=acme' }))?.status).toBe(200);
    expect(seen(await withHeaders({}))).toEqual([401, 'unauthenticated']);
    expect(seen(await withHeaders({ 'x-api-key': '' }))).toEqual([401, 'unauthenticated']);
    for (const [key, { method, url, prefix }] of authenticate.mock.calls) {
      expect([key, method, url, prefix]).toEqual(['', 'GET', '/sessions?page=1', '/api']);
    }
    expect(authenticate).toHaveBeenCalledTimes(3);
  });

  test('is called once per request, with its key', async () => {
    const authenticate = vi.fn(() => 'acme');
    const { handler } = handlerWith({ authenticate });
    await handler(request('GET', '/sessions'));
    expect(authenticate.mock.calls).toEqual([
      ['key', expect.objectContaining({ method: 'GET', url: '/sessions' })],
    ]);
  });

  test('may take its time', async () => {
    const { handler } = handlerWith({ authenticate: async () => 'acme' });
    expect((await handler(request('GET', '/sessions')))?.status).toBe(200);
  });
});

describe('onDenied', () => {
  /** The arguments that `onDenied` receives for a request with a 401. */
  const deniedFor = async (
    url: string,
    headers: Readonly<Record<string, string>>,
    method = 'GET',
  ) => {
    const denied: DeniedRequest[] = [];
    const { handler } = handlerWith({
      authenticate: () => undefined,
      onDenied: (each) => denied.push(each),
      routes: [openApiRoute(), inspectorRoutes({ authenticate: () => undefined })],
    });
    const response = await handler(
      request(method, url, { prefix: 'api/', header: (name) => headers[name] }),
    );
    expect(seen(response)).toEqual([401, 'unauthenticated']);
    return denied;
  };

  test.each([
    ['a wrong key', { 'x-api-key': SECRET }, 'wrong'],
    ['a wrong bearer token', { authorization: `Bearer ${SECRET}` }, 'wrong'],
    ['no key', { cookie: `id=${SECRET}` }, 'missing'],
    ['an empty key', { 'x-api-key': '' }, 'missing'],
  ])('is called for a request with %s, without the key', async (_name, headers, reason) => {
    for (const path of ['/sessions', '/session/x', '/openapi.json', '/inspector/sessions']) {
      expect(await deniedFor(`${path}?key=${SECRET}`, headers)).toEqual([
        { method: 'GET', path: `/api${path}`, reason },
      ]);
    }
    expect(await deniedFor('/create-session', headers, 'POST')).toEqual([
      { method: 'POST', path: '/api/create-session', reason },
    ]);
  });

  test('receives a path that is cut to a length that logs can hold', async () => {
    const [{ path } = { path: '' }] = await deniedFor(`/session/${'x'.repeat(20_000)}`, {});
    expect(path).toBe(`/api/session/${'x'.repeat(243)}`);
  });

  test('is not called for authenticated requests, nor if the key could not be checked', async () => {
    const onDenied = vi.fn();
    await handlerWith({ onDenied }).handler(request('GET', '/sessions'));
    await handlerWith({ onDenied, authenticate: throwsError }).handler(request('GET', '/sessions'));
    expect(onDenied).not.toHaveBeenCalled();
  });

  test.each([
    ['throws', throwsError],
    ['rejects', () => Promise.reject(new Error(SECRET))],
  ])('changes no response if it %s', async (_name, onDenied) => {
    const { handler } = handlerWith({ authenticate: () => undefined, onDenied });
    expect(seen(await handler(request('GET', '/sessions')))).toEqual([401, 'unauthenticated']);
  });
});

describe('createSessionHandler', () => {
  const sessions = new SessionService({ store: new MemorySessionStore() });
  const good = { sessions, authenticate: () => 'acme' };

  const bad: readonly (readonly [string, unknown])[] = [
    ['no options', undefined],
    ['null', null],
    ['a number', 5],
    ['nothing in them', {}],
    ['a getter that throws', throwing()],
    ['a revoked proxy', revoked()],
    ['no sessions', { ...good, sessions: undefined }],
    ['sessions that are none', { ...good, sessions: {} }],
    ['no authenticator', { ...good, authenticate: undefined }],
    ['an authenticator that is none', { ...good, authenticate: 'key' }],
    ['an object for an authenticator', { ...good, authenticate: {} }],
    ['a Result for an authenticator', { ...good, authenticate: ok(() => 'acme') }],
    ['a body size of 0', { ...good, maxBodyBytes: 0 }],
    ['a body size of NaN', { ...good, maxBodyBytes: Number.NaN }],
    ['a body size of Infinity', { ...good, maxBodyBytes: Number.POSITIVE_INFINITY }],
    ['a body size in a text', { ...good, maxBodyBytes: '256' }],
    ['a time-out of 0', { ...good, timeoutMs: 0 }],
    ['a time-out longer than timers take', { ...good, timeoutMs: 2 ** 31 }],
    ['a listener that is none', { ...good, onError: 'log' }],
    ['another that is none', { ...good, onDenied: {} }],
    ['a logger that is none', { ...good, logger: () => undefined }],
    ['an option that nobody knows', { ...good, color: 'red' }],
    ['the commands for a switch', { ...good, commands: true }],
    ['routes that are none', { ...good, routes: commandRoutes }],
    ['a route without its group', { ...good, routes: commandRoutes() }],
    ['a group of what is no route', { ...good, routes: [['/start']] }],
    ['the same routes twice', { ...good, routes: [commandRoutes(), commandRoutes()] }],
  ];

  test.each(bad)('throws a TypeError with %s', (_name, options) => {
    expect(() => unchecked(options)).toThrow(expect.objectContaining({ name: 'TypeError' }));
    expect(() => unchecked(options)).toThrow(/^createSessionHandler: /);
  });

  test('names all invalid options, and suggests the nearest names', () => {
    expect(() => unchecked({ ...good, timeoutMs: -1, maxBodyByte: 1, route: [] })).toThrow(
      new TypeError(
        'createSessionHandler: maxBodyByte is unknown (did you mean maxBodyBytes?); ' +
          'route is unknown (did you mean routes?); timeoutMs must be a number from 1 to 2147483647',
      ),
    );
  });

  test.each([
    ['throws', throwsError],
    ['rejects', () => Promise.reject(new Error(SECRET))],
  ])('survives a listener that %s', async (_name, onError) => {
    const { handler } = handlerWith({ authenticate: throwsError, onError });
    expect((await handler(request('GET', '/sessions')))?.status).toBe(503);
  });

  test("reports a method that the host's service lacks as misconfigured", async () => {
    const broken = new SessionService({
      store: new MemorySessionStore(),
      clock: { now: () => Number.NaN },
    });
    const { handler, told } = handlerWith({ sessions: broken });
    for (const [, each] of operations)
      expect(seen(await handler(each))).toEqual([500, 'misconfigured']);
    expect(told).toMatchObject(
      operations.map(() => ({ message: expect.stringMatching(/^clock/) })),
    );
  });
});

describe('the answer to HEAD', () => {
  test.each(['/session/x', '/create-session'])(
    '%s has no body, and the length of one',
    async (url) => {
      const { handler } = handlerWith();
      const head = await handler(request('HEAD', url));
      const full = await handler(request(url === '/create-session' ? 'PUT' : 'GET', url));
      expect(head?.body).toBeUndefined();
      expect(head?.headers).toEqual({
        ...full?.headers,
        'Content-Length': String(full?.body?.length),
      });
    },
  );
});

describe('HEAD of a list or a session', () => {
  test('reads no history and builds no body', async () => {
    const store = new MemorySessionStore();
    const sessions = new SessionService({ store, ids: { next: () => 'x' } });
    const { handler } = handlerWith({ sessions });
    await sessions.forTenant('acme').create({ face: 'ada', profile: 'tutor' });
    const [page, find] = [vi.spyOn(store, 'page'), vi.spyOn(store, 'find')];
    const stringify = vi.spyOn(JSON, 'stringify');
    onTestFinished(() => stringify.mockRestore());
    for (const url of [
      '/sessions',
      '/sessions?history_limit=5',
      '/session/x',
      '/session/x?history_limit=5',
    ]) {
      const head = await handler(request('HEAD', url));
      expect([head?.status, head?.body, head?.headers['Content-Length']]).toEqual([
        200,
        undefined,
        undefined,
      ]);
    }
    expect(stringify).not.toHaveBeenCalled();
    expect(page.mock.calls.map(([, { historyLimit }]) => historyLimit)).toEqual([0, 0]);
    expect(find.mock.calls.map(([, size]) => size?.historyLimit)).toEqual([0, 0]);
  });
});

describe('a mount that breaks its contract', () => {
  test.each([
    ['a body reader that throws', { body: throwsError }],
    ['a body reader that rejects', { body: () => Promise.reject(new Error(SECRET)) }],
    ['a header getter that throws', { header: throwsError }],
    ['no path', { url: undefined }],
  ])('causes no crash: %s', async (_name, more) => {
    const { handler } = handlerWith();
    const broken = Object.assign(request('POST', '/create-session'), more);
    expect((await handler(broken))?.status).toBe(503);
  });

  test('leads to 500 misconfigured if it has read the body', async () => {
    const { handler, told } = handlerWith();
    const lost = request('POST', '/create-session', { body: async () => ({ outcome: 'lost' }) });
    expect(seen(await handler(lost))).toEqual([500, 'misconfigured']);
    expect(told).toMatchObject([{ message: expect.stringMatching(/^the body/) }]);
  });
});
