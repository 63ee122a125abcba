import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import {
  commandRoutes,
  type HandlerRequest,
  type MessageRoutesOptions,
  messageRoutes,
} from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { ManualClock } from '../support/manual-clock.js';
import { ada } from '../support/sessions.js';
import { handlerWith, request } from './handler-harness.js';

/** An id as of a chat platform, whose characters are special in a path but not in a query. */
const ODD_ID = 'chat/7 a+b=é?#&';

const encoded = (body: unknown): Partial<HandlerRequest> => ({
  body: async () => ({ outcome: 'read', bytes: new TextEncoder().encode(JSON.stringify(body)) }),
});

const open = async (
  limits: MessageRoutesOptions = {},
  more: Parameters<typeof handlerWith>[0] & { readonly isCommanded?: boolean } = {},
) => {
  const clock = new ManualClock();
  const store = new MemorySessionStore({ events: true });
  const service = new SessionService({ store, clock, limits: { inboxMessages: 2 } });
  const sessions = service.forTenant('acme');
  const { id } = await sessions.orThrow.create({ ...ada, start: true });
  const { isCommanded = false, ...options } = more;
  const routes = [messageRoutes(limits), ...(isCommanded ? [commandRoutes()] : [])];
  const { handler, told } = handlerWith({ sessions: service, routes, work: true, ...options });
  const ask = async (method: string, path: string, with_: Partial<HandlerRequest> = {}) => {
    const response = await handler(request(method, path, with_));
    const value: unknown = JSON.parse(response?.body ?? 'null');
    return { status: response?.status, headers: response?.headers, value };
  };
  const post = (path: string, body: unknown) => ask('POST', path, encoded(body));
  const get = (path: string, with_: Partial<HandlerRequest> = {}) => ask('GET', path, with_);
  const answerPath = (messageId: string, timeoutMs?: number) => {
    const query = new URLSearchParams({ message_id: messageId });
    if (timeoutMs !== undefined) query.set('timeout_ms', String(timeoutMs));
    return `/session/${id}/answer?${query}`;
  };
  return { answerPath, clock, get, id, post, sessions, told };
};

/** A worker answers all waiting messages. */
const work = async (sessions: SessionService, text: string) => {
  const { claimed } = await sessions.orThrow.claim({ holder: 'worker-1', seconds: 30 });
  for (const { session, lease } of claimed)
    await sessions.orThrow.release(session.id, {
      fencingToken: lease.fencingToken,
      done: true,
      entries: text,
    });
};

describe('messages over HTTP', () => {
  test('are sent once, however often the request is repeated', async () => {
    const { get, id, post } = await open();
    const message = { id: ODD_ID, content: 'Hello', data: { from: 'Slack' } };
    const sent = await post(`/send-message/${id}`, message);
    expect([sent.status, sent.value]).toEqual([200, { id: ODD_ID, state: 'waiting' }]);
    expect(sent.headers).not.toHaveProperty('Idempotent-Replayed');
    const again = await post(`/send-message/${id}`, message);
    expect(again).toMatchObject({ status: 200, value: { id: ODD_ID, state: 'waiting' } });
    expect(again.headers).toMatchObject({ 'Idempotent-Replayed': 'true' });
    const other = await post(`/send-message/${id}`, { ...message, content: 'Bye' });
    expect(other).toMatchObject({ status: 422, value: { code: 'operation_mismatch' } });
    expect((await get(`/session/${id}/inbox`)).value).toEqual([
      { ...message, role: 'user', timestamp: '2026-01-31T12:00:00.000Z' },
    ]);
    expect((await get(`/session/${id}`)).value).toMatchObject({
      inbox: 1,
      work: { state: 'waiting', since: '2026-01-31T12:00:00.000Z', attempt: 0 },
    });
  });

  test('are rejected with 429 while the inbox is full, and by the names of invalid fields', async () => {
    const { id, post } = await open();
    for (const content of ['a', 'b']) await post(`/send-message/${id}`, { content });
    const full = await post(`/send-message/${id}`, { content: 'c' });
    expect(full).toMatchObject({ status: 429, value: { code: 'inbox_full' } });
    const wrong = await post(`/send-message/${id}`, { id: '', role: 1, content: 2, create: 'yes' });
    expect(wrong).toMatchObject({ status: 400, value: { errors: [{ path: 'create' }] } });
    const { value } = await post(`/send-message/${id}`, { id: '', role: 1 });
    expect(value).toMatchObject({
      errors: [{ path: 'role' }, { path: 'content' }, { path: 'id' }],
    });
  });

  test('create their session only if the host enables commands', async () => {
    const message = { content: 'Hello', create: true };
    const plain = await open();
    const refused = await plain.post('/send-message/new', message);
    expect(refused).toMatchObject({
      status: 400,
      value: { errors: [{ path: 'create', message: 'is not allowed by this host' }] },
    });
    const missing = await plain.post('/send-message/new', { content: 'Hello' });
    expect(missing).toMatchObject({ status: 404, value: { code: 'not_found' } });
    const commanded = await open({}, { isCommanded: true });
    expect(await commanded.post('/send-message/new', message)).toMatchObject({ status: 200 });
    expect(await commanded.sessions.orThrow.get('new')).toMatchObject({
      status: 'ACTIVE',
      inbox: 1,
    });
  });

  test('can be withdrawn until a turn takes them, all or by id', async () => {
    const { get, id, post, sessions } = await open();
    await post(`/send-message/${id}`, { id: 'm-1', content: 'a' });
    await work(sessions, 'Hi!');
    await post(`/send-message/${id}`, { id: ODD_ID, content: 'b' });
    await post(`/send-message/${id}`, { id: 'm-3', content: 'c' });
    const some = await post(`/withdraw-messages/${id}`, { ids: ['m-1', ODD_ID] });
    expect(some).toMatchObject({
      status: 200,
      value: { withdrawn: [{ id: ODD_ID, content: 'b' }], taken: ['m-1'] },
    });
    expect(await post(`/withdraw-messages/${id}`, {})).toMatchObject({
      value: { withdrawn: [{ id: 'm-3' }], taken: [] },
    });
    expect((await get(`/session/${id}/inbox`)).value).toEqual([]);
    const bad = await post(`/withdraw-messages/${id}`, { ids: 'm-3' });
    expect(bad).toMatchObject({ status: 400, value: { errors: [{ path: 'ids' }] } });
  });
});

describe('an answer to a message over HTTP', () => {
  test('is returned as soon as a worker has stored it', async () => {
    const { answerPath, get, id, post, sessions } = await open();
    await post(`/send-message/${id}`, { id: ODD_ID, content: 'Hello' });
    const waiting = get(answerPath(ODD_ID));
    await work(sessions, 'Hi!');
    const answered = await waiting;
    expect(answered.status).toBe(200);
    expect(answered.value).toMatchObject({
      content: 'Hi!',
      entries: [{ role: 'assistant', content: 'Hi!', turn: 1 }],
    });
    expect(answered.value).not.toHaveProperty('repeated');
    expect(await get(answerPath(ODD_ID))).toMatchObject({ value: { repeated: true } });
  });

  test('answers 504 if nobody answers in time, which is not logged as a failure', async () => {
    const { answerPath, get, id, post, told } = await open();
    await post(`/send-message/${id}`, { id: 'm-1', content: 'Hello' });
    const refused = await get(answerPath('m-1', 0));
    expect(refused).toMatchObject({ status: 504, value: { code: 'not_answered' } });
    expect(told).toEqual([]);
  });

  test('is refused for a withdrawn, superseded or unknown message', async () => {
    const { answerPath, get, id, post, sessions } = await open();
    await post(`/send-message/${id}`, { id: 'm-1', content: 'a' });
    await post(`/withdraw-messages/${id}`, {});
    await post(`/send-message/${id}`, { id: 'm-2', content: 'b' });
    await work(sessions, 'Hi!');
    await sessions.orThrow.rewind(id, { before: 'm-2' });
    const codes: unknown[] = [];
    for (const name of ['m-1', 'm-2', 'm-3']) {
      const { status, value } = await get(answerPath(name, 0));
      codes.push([status, Object(value).code]);
    }
    expect(codes).toEqual([
      [409, 'withdrawn'],
      [409, 'superseded'],
      [404, 'not_found'],
    ]);
    const unnamed = await get(`/session/${id}/answer`);
    expect(unnamed).toMatchObject({ status: 400, value: { errors: [{ path: 'message_id' }] } });
  });

  test('may be awaited by a limited number of requests, which hold no bytes', async () => {
    const limits = { maxWaiting: 2, maxWaitingPerTenant: 1 };
    const { answerPath, get, id, post, sessions } = await open(limits, { maxPendingBytes: 4000 });
    await post(`/send-message/${id}`, { id: 'm-1', content: 'Hello' });
    const waiting = get(answerPath('m-1'));
    expect(await get(answerPath('m-1'))).toMatchObject({
      status: 503,
      value: { code: 'too_many_streams' },
    });
    expect(await get(`/session/${id}`)).toMatchObject({ status: 200 });
    await work(sessions, 'Hi!');
    expect(await waiting).toMatchObject({ status: 200 });
    expect(await get(answerPath('m-1'))).toMatchObject({ status: 200 });
  });

  test('is no longer awaited once the connection is lost or the host stops', async () => {
    const stopping = new AbortController();
    const { answerPath, get, id, post } = await open({}, { signal: stopping.signal });
    await post(`/send-message/${id}`, { id: 'm-1', content: 'Hello' });
    const closed: (() => void)[] = [];
    const onClose = (listener: () => void) => void closed.push(listener);
    const lost = get(answerPath('m-1'), { onClose });
    await expect.poll(() => closed.length).toBe(1);
    closed[0]?.();
    expect(await lost).toMatchObject({ status: 504 });
    const stopped = get(answerPath('m-1'));
    stopping.abort();
    expect(await stopped).toMatchObject({ status: 504 });
  });

  test('has options that are checked when the routes are created', () => {
    for (const [name, nonsense] of [
      ['maxWaiting', { maxWaiting: 0 }],
      ['maxWaitingPerTenant', { maxWaiting: 5, maxWaitingPerTenant: 6 }],
      ['maxStreams', { maxStreams: 5 }],
    ] as const)
      expect(() => Reflect.apply(messageRoutes, undefined, [nonsense])).toThrow(
        new RegExp(`^messageRoutes: ${name} `),
      );
  });
});
