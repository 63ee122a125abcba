import { err, ok } from 'neverthrow';
import { describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import {
  answerOf,
  type Call,
  createSessionHandler,
  type Operation,
  type Route,
  type RouteGroup,
} from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import { changed } from '../support/store-doubles.js';
import { handlerWith, request, seen } from './handler-harness.js';
import { countEntries, rateSession } from './host-operation.js';

const operation: Operation = countEntries;

const answer = async (call: Call) => {
  const found = await answerOf(call, call.sessions.get(call.id));
  return found.map(({ historyCount }) => ({
    status: 200,
    headers: { 'X-Tenant': call.tenant },
    body: `${historyCount}`,
  }));
};

const length: RouteGroup = [{ operation, answer }];

const lengthOf = (id: string, method = 'GET') => request(method, `/session/${id}/length?of=all`);

describe('a custom route', () => {
  test('receives the tenant of the key and the id of the path', async () => {
    const sessions = new SessionService({
      store: new MemorySessionStore(),
      ids: { next: () => 'a.b' },
    });
    await sessions.forTenant('acme').create({ face: 'ada', profile: 'tutor' });
    const { handler } = handlerWith({ sessions, routes: [length] });
    expect(await handler(lengthOf('a%2Eb'))).toEqual({
      status: 200,
      headers: { 'X-Tenant': 'acme' },
      body: '0',
    });
    const head = await handler(lengthOf('a.b', 'HEAD'));
    expect(head).toEqual({ status: 200, headers: { 'Content-Length': '1', 'X-Tenant': 'acme' } });
  });

  test('is protected like the others: by key, method and path', async () => {
    const closed = handlerWith({ routes: [length], authenticate: () => undefined });
    expect(seen(await closed.handler(lengthOf('x')))).toEqual([401, 'unauthenticated']);
    const { handler } = handlerWith({ routes: [length] });
    expect(seen(await handler(lengthOf('x', 'POST')))).toEqual([405, 'method_not_allowed']);
    expect(seen(await handler(lengthOf('%ff')))).toEqual([400, 'invalid_input']);
    expect(await handler(lengthOf('a/b'))).toBeUndefined();
    expect(await handler(request('GET', '/session//length'))).toBeUndefined();
  });

  test('calls the service with the fields of its query and body, and returns its output', async () => {
    const sessions = new SessionService({ store: new MemorySessionStore() }).forTenant('acme');
    const { id } = await sessions.orThrow.create({ face: 'ada', profile: 'tutor' });
    const { handler } = handlerWith({ routes: [[{ operation: rateSession }]], sessions });
    const value = { stars: 5, given_by: 'bob', unknown: 1 };
    const header = (name: string) => (name === 'content-type' ? 'application/json' : undefined);
    const body = async () => ({ outcome: 'parsed', value }) as const;
    const rated = await handler(request('POST', `/rate/${id}?dry_run=yes`, { header, body }));
    expect(rated?.status).toBe(200);
    expect(JSON.parse(rated?.body ?? '')).toEqual({
      status: 'IDLE',
      dryRun: 'yes',
      stars: 5,
      givenBy: 'bob',
    });
  });

  test('returns service errors as problems, with wire names', async () => {
    const { handler } = handlerWith({ routes: [length] });
    expect(seen(await handler(lengthOf('nobody')))).toEqual([404, 'not_found']);
    const long = await handler(lengthOf('x'.repeat(257)));
    expect(JSON.parse(long?.body ?? '').errors).toMatchObject([{ path: 'session_id' }]);
    const store = changed(new MemorySessionStore(), {
      find: () => err(storeUnavailable('secret', 'not_applied')),
    });
    const broken = handlerWith({ sessions: new SessionService({ store }), routes: [length] });
    expect(seen(await broken.handler(lengthOf('x')))).toEqual([503, 'store_unavailable']);
    expect(broken.told).toMatchObject([{ type: 'store_unavailable' }]);
  });

  test('answers 503 without a crash if it throws', async () => {
    const thrown: Route = {
      operation,
      answer: () => {
        throw new Error('secret');
      },
    };
    const { handler, told } = handlerWith({ routes: [[thrown]] });
    const response = await handler(lengthOf('x'));
    expect(seen(response)).toEqual([503, 'store_unavailable']);
    expect(response?.body).not.toContain('secret');
    expect(told).toHaveLength(1);
  });

  test('may have its own authenticator, or be public', async () => {
    const authenticate = vi.fn(() => 'acme');
    const tenantIn: Route['answer'] = async ({ tenant }) =>
      ok({ status: 200, headers: {}, body: `"${tenant}"` });
    const own: RouteGroup = [
      {
        operation: { ...operation, path: '/own' },
        answer: tenantIn,
        authenticate: ({ header }) => header('cookie'),
      },
      { operation: { ...operation, path: '/open' }, answer: tenantIn, authenticate: 'everybody' },
    ];
    const { handler } = handlerWith({ authenticate, routes: [own] });
    const header = (name: string) => (name === 'cookie' ? 'other' : undefined);
    expect((await handler(request('GET', '/own', { header })))?.body).toBe('"other"');
    expect(seen(await handler(request('GET', '/own', { header: () => undefined })))).toEqual([
      401,
      'unauthenticated',
    ]);
    expect((await handler(request('GET', '/open', { header: () => undefined })))?.body).toBe('""');
    expect(authenticate).not.toHaveBeenCalled();
  });

  test.each([
    '/sessions',
    '/session/{id}',
    'length',
    '/{session_id}',
    '/a/b/{session_id}',
    '/a/*/b',
    '/',
  ])('is rejected when the handler is created, for the path %s', (path) => {
    const routes = [[{ operation: { ...operation, path }, answer }]];
    const options = {
      sessions: new SessionService({ store: new MemorySessionStore() }),
      authenticate: () => 'acme',
    };
    expect(() => Reflect.apply(createSessionHandler, undefined, [{ ...options, routes }])).toThrow(
      /^createSessionHandler: routes must not have the path /,
    );
  });
});
