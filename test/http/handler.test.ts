import { err, ok } from 'neverthrow';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createSessionHandler, type SessionHandlerOptions, staticApiKeys } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
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
  const answersOf = async (options: Partial<SessionHandlerOptions>) => {
    const { handler, told } = handlerWith(options);
    const responses = await Promise.all(operations.map(([, each]) => handler(each)));
    expect(JSON.stringify(responses)).not.toContain(SECRET);
    return { told, answers: new Set(responses.map((response) => seen(response).join(' '))) };
  };

  /** Options with one that answers with what TypeScript would not let it. */
  const answering = (answer: unknown) => Object.fromEntries([['authenticate', () => answer]]);

  const failing: readonly (readonly [string, Partial<SessionHandlerOptions>])[] = [
    ['throws', { authenticate: throwsError }],
    ['rejects', { authenticate: () => Promise.reject(new Error(SECRET)) }],
    ['gives a thenable that throws', answering(Object.fromEntries([['then', throwsError]]))],
    ['gives what throws when it is looked at', answering(throwing())],
  ];

  test.each(failing)('that %s is 503, and the host is told', async (_name, options) => {
    const { told, answers } = await answersOf(options);
    expect(answers).toEqual(new Set(['503 authenticator_unavailable']));
    expect(told).toHaveLength(operations.length);
  });

  test('that never answers is 503 in time', async () => {
    vi.useFakeTimers();
    const { handler } = handlerWith({ authenticate: () => new Promise(() => undefined), timeoutMs: 30 });
    const response = handler(request('GET', '/sessions'));
    await vi.advanceTimersByTimeAsync(30);
    expect(seen(await response)).toEqual([503, 'authenticator_unavailable']);
  });

  test.each([undefined, null, false, '', 0])('that answers %j, now or later, lets nobody in', async (nothing) => {
    for (const answer of [nothing, Promise.resolve(nothing)]) {
      const { answers } = await answersOf(answering(answer));
      expect(answers).toEqual(new Set(['401 unauthenticated']));
    }
  });

  test.each([true, 5, {}, [], ['acme'], () => 'acme', Symbol('acme'), 'x'.repeat(257)])(
    'that answers with what is no tenant is a mistake of the host: %#',
    async (nonsense) => {
      for (const answer of [nonsense, Promise.resolve(nonsense)]) {
        const { answers } = await answersOf(answering(answer));
        expect(answers).toEqual(new Set(['503 misconfigured']));
      }
    },
  );

  test('is not asked about a key that is not there', async () => {
    const authenticate = vi.fn(() => 'acme');
    const { handler } = handlerWith({ authenticate });
    for (const key of [undefined, '']) {
      const response = await handler(request('GET', '/sessions', { header: () => key }));
      expect(seen(response)).toEqual([401, 'unauthenticated']);
    }
    expect(authenticate).not.toHaveBeenCalled();
  });

  test('may take its time', async () => {
    const { handler } = handlerWith({ authenticate: async () => 'acme' });
    expect((await handler(request('GET', '/sessions')))?.status).toBe(200);
  });
});

describe('a handler whose keys are refused', () => {
  const authenticate = staticApiKeys([
    { key: SECRET, tenant: 'acme' },
    { key: SECRET, tenant: 'other' },
  ]);

  test('lets nobody in, and tells the host which key it is', async () => {
    const { handler, told } = handlerWith({ authenticate });
    const response = await handler(request('GET', '/sessions', { header: () => SECRET }));
    expect(seen(response)).toEqual([503, 'misconfigured']);
    expect(told).toMatchObject([{ type: 'misconfigured', issues: [{ path: 'keys[1].key' }] }]);
    expect(JSON.stringify([response, told])).not.toContain(SECRET);
  });

  test('still passes on what is not its own', async () => {
    expect(await handlerWith({ authenticate }).handler(request('GET', '/'))).toBeUndefined();
  });

  test('takes keys that are good as they come', async () => {
    const { handler } = handlerWith({ authenticate: staticApiKeys([{ key: 'key', tenant: 'acme' }]) });
    expect((await handler(request('GET', '/sessions')))?.status).toBe(200);
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
    ['an error for an authenticator', { ...good, authenticate: err({ issues: [{ path: 'x', message: 'y' }] }) }],
    ['an error that is none', { ...good, authenticate: err(undefined) }],
    ['a body size of 0', { ...good, maxBodyBytes: 0 }],
    ['a body size of NaN', { ...good, maxBodyBytes: Number.NaN }],
    ['a body size of Infinity', { ...good, maxBodyBytes: Number.POSITIVE_INFINITY }],
    ['a body size in a text', { ...good, maxBodyBytes: '256' }],
    ['a time-out of 0', { ...good, timeoutMs: 0 }],
    ['a time-out longer than timers take', { ...good, timeoutMs: 2 ** 31 }],
    ['a listener that is none', { ...good, onError: 'log' }],
  ];

  test.each(bad)('with %s throws nothing, and answers 503', async (_name, options) => {
    const handler = unchecked(options);
    expect(seen(await handler(request('GET', '/sessions')))).toEqual([503, 'misconfigured']);
  });

  test('with success that is no function for an authenticator lets nobody in', async () => {
    const handler = unchecked({ ...good, authenticate: ok('acme') });
    expect((await handler(request('GET', '/sessions')))?.status).toBe(503);
  });

  test('tells its host what is wrong with the options', async () => {
    const { handler, told } = handlerWith({ maxBodyBytes: -1, timeoutMs: -1 });
    await handler(request('GET', '/sessions'));
    expect(told).toMatchObject([{ issues: [{ path: 'maxBodyBytes' }, { path: 'timeoutMs' }] }]);
  });

  test('does not suffer from a listener that throws', async () => {
    const { handler } = handlerWith({ authenticate: throwsError, onError: throwsError });
    expect((await handler(request('GET', '/sessions')))?.status).toBe(503);
  });

  test("does not blame the client for what the host's service lacks", async () => {
    const broken = new SessionService({ store: new MemorySessionStore(), clock: { now: () => Number.NaN } });
    const { handler, told } = handlerWith({ sessions: broken });
    for (const [, each] of operations) expect(seen(await handler(each))).toEqual([503, 'misconfigured']);
    expect(told).toMatchObject(operations.map(() => ({ issues: [{ path: 'clock' }] })));
  });
});

describe('the answer to HEAD', () => {
  test.each(['/session/x', '/create-session'])('%s has no body, and tells the length of one', async (url) => {
    const { handler } = handlerWith();
    const head = await handler(request('HEAD', url));
    const full = await handler(request(url === '/create-session' ? 'PUT' : 'GET', url));
    expect(head?.body).toBeUndefined();
    expect(head?.headers).toEqual({ ...full?.headers, 'Content-Length': String(full?.body?.length) });
  });
});

describe('a mount that breaks its contract', () => {
  test.each([
    ['a body reader that throws', { body: throwsError }],
    ['a body reader that rejects', { body: () => Promise.reject(new Error(SECRET)) }],
    ['a header getter that throws', { header: throwsError }],
    ['no path', { url: undefined }],
  ])('makes no crash: %s', async (_name, more) => {
    const { handler } = handlerWith();
    const broken = Object.assign(request('POST', '/create-session'), more);
    expect((await handler(broken))?.status).toBe(503);
  });

  test('a body that something else has read is a mistake of the host', async () => {
    const { handler, told } = handlerWith();
    const lost = request('POST', '/create-session', { body: async () => ({ outcome: 'lost' }) });
    expect(seen(await handler(lost))).toEqual([503, 'misconfigured']);
    expect(told).toMatchObject([{ issues: [{ path: 'body' }] }]);
  });
});
