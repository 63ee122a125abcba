import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { nodeListener } from '../../adapters/node/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import {
  commandRoutes,
  createSessionHandler,
  type HandlerRequest,
  type SessionHandlerOptions,
} from '../../src/http/index.js';
import { SessionService, type SessionStore } from '../../src/index.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { inTime } from '../support/in-time.js';
import { PATIENT_MS } from '../support/patience.js';
import { openClient } from '../support/redis-clients.js';
import { ada, okOf } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { send } from './client.js';
import { request, seen } from './handler-harness.js';
import { listening } from './serve.js';

const KIB = 1024;

/** A session with a history of this number of KiB. */
const largeSession = async (sessions: SessionService, id: string, kib: number): Promise<void> => {
  const own = new SessionService({ store: storeOf(sessions), ids: { next: () => id } }).forTenant(
    tenantOf(id),
  );
  await okOf(own.create(ada));
  await okOf(own.start(id));
  const entries = Array.from({ length: Math.ceil(kib / 256) }, () => ({
    role: 'user',
    content: 'x'.repeat(Math.min(kib, 256) * KIB - 100),
  }));
  await okOf(own.append(id, entries));
};

const stores = new WeakMap<SessionService, SessionStore>();
const storeOf = (sessions: SessionService): SessionStore => {
  const store = stores.get(sessions);
  if (store === undefined) throw new Error('no service of these tests');
  return store;
};

/** The tenant is the part of an id before the dash, and also its own API key. */
const tenantOf = (id: string): string => id.slice(0, id.indexOf('-'));

const openSessions = (store: SessionStore = new MemorySessionStore()): SessionService => {
  const sessions = new SessionService({ store });
  stores.set(sessions, store);
  return sessions;
};

/** Sends requests of a tenant, whose clients read the answers when the test says so. */
const clientsOf = (
  sessions: SessionService,
  options: Partial<SessionHandlerOptions<SessionService>>,
) => {
  const handler = createSessionHandler({ sessions, authenticate: (key) => key, ...options });
  const ask = async (tenant: string, url: string, more: Partial<HandlerRequest> = {}) => {
    const listeners: (() => void)[] = [];
    const onClose = (listener: () => void) => void listeners.push(listener);
    const response = await handler(request('GET', url, { header: () => tenant, onClose, ...more }));
    const take = () => {
      for (const listener of listeners.splice(0)) listener();
    };
    return { response, take, isHeld: listeners.length > 0 };
  };
  return { ask };
};

const busy = [503, 'store_unavailable'];

const posted = (tenant: string, value: object): Partial<HandlerRequest> => {
  const headers = new Map([
    ['x-api-key', tenant],
    ['content-type', 'application/json'],
  ]);
  return {
    method: 'POST',
    header: (name) => headers.get(name),
    body: async () => ({ outcome: 'parsed', value }),
  };
};

describe('the bytes of pending HTTP answers', () => {
  const open = async (options: { readonly maxPendingBytes?: number } = {}) => {
    const sessions = openSessions();
    for (const id of ['acme-1', 'acme-2', 'globex-1']) await largeSession(sessions, id, 40);
    return {
      ...clientsOf(sessions, { maxPendingBytes: 100 * KIB, ...options }),
      store: storeOf(sessions),
    };
  };

  test('are limited: beyond the limit a list or get answers 503 with Retry-After until one is taken', async () => {
    const { ask } = await open();
    const first = await ask('acme', '/session/acme-1');
    expect([first.response?.status, first.isHeld]).toEqual([200, true]);
    const second = await ask('acme', '/session/acme-2');
    expect(seen(second.response)).toEqual(busy);
    expect(second.response?.headers).toMatchObject({ 'Retry-After': '1' });
    expect(second.isHeld).toBe(false);
    expect(seen((await ask('acme', '/sessions')).response)).toEqual(busy);
    first.take();
    expect((await ask('acme', '/session/acme-2')).response?.status).toBe(200);
  });

  test('of one tenant leave room for other tenants', async () => {
    const { ask } = await open();
    await ask('acme', '/session/acme-1');
    expect(seen((await ask('acme', '/session/acme-2')).response)).toEqual(busy);
    expect((await ask('globex', '/session/globex-1')).response?.status).toBe(200);
  });

  test('may exceed the limit for one answer at a time', async () => {
    const { ask } = await open({ maxPendingBytes: 10 * KIB });
    const first = await ask('acme', '/sessions');
    expect(first.response?.status).toBe(200);
    expect(seen((await ask('acme', '/session/acme-1')).response)).toEqual(busy);
    expect((await ask('globex', '/session/globex-1')).response?.status).toBe(200);
    first.take();
    expect((await ask('acme', '/session/acme-1')).response?.status).toBe(200);
  });

  test('are checked before the store is asked, if not even the smallest answer fits', async () => {
    const { ask, store } = await open({ maxPendingBytes: 10 * KIB });
    await ask('acme', '/sessions');
    const asked = [vi.spyOn(store, 'page'), vi.spyOn(store, 'find')];
    expect(seen((await ask('acme', '/sessions')).response)).toEqual(busy);
    expect(seen((await ask('acme', '/session/nobody')).response)).toEqual(busy);
    for (const spy of asked) expect(spy).not.toHaveBeenCalled();
  });

  test('are not reserved without a body: after errors, after HEAD, and for other operations', async () => {
    const { ask } = await open();
    for (const [url, more] of [
      ['/session/nobody', {}],
      ['/sessions?limit=junk', {}],
      ['/session/acme-1', { method: 'HEAD' }],
      ['/sessions', { method: 'HEAD' }],
      ['/create-session', { method: 'POST' }],
    ] as const) {
      for (let at = 0; at < 10; at += 1) expect((await ask('acme', url, more)).isHeld).toBe(false);
    }
    expect((await ask('acme', '/session/acme-1')).response?.status).toBe(200);
  });

  test('never block a claim whose sessions are leased, but the next claim, which claims nothing', async () => {
    const sessions = openSessions();
    for (const id of ['acme-1', 'acme-2']) {
      await largeSession(sessions, id, 40);
      await okOf(sessions.forTenant('acme').wake(id));
    }
    const { ask } = clientsOf(sessions, { maxPendingBytes: 10 * KIB, routes: [commandRoutes()] });
    const value = { holder: 'worker-1', seconds: 30, history_limit: 10 };
    const claim = () => ask('acme', '/claim-sessions', posted('acme', value));
    const first = await claim();
    expect([first.response?.status, first.isHeld]).toEqual([200, true]);
    expect(seen((await claim()).response)).toEqual(busy);
    expect(await okOf(sessions.forTenant('acme').countWaiting())).toMatchObject({ count: 1 });
    first.take();
    expect((await claim()).response?.status).toBe(200);
  });

  test('count forks that getOrCreate creates, which are never refused, against the next read', async () => {
    const sessions = openSessions();
    for (const id of ['acme-1', 'acme-2']) await largeSession(sessions, id, 40);
    const { ask } = clientsOf(sessions, { maxPendingBytes: 100 * KIB, routes: [commandRoutes()] });
    const body = { face: 'ada', profile: 'tutor', from: { id: 'acme-1' } };
    const fork = await ask('acme', '/get-or-create-session/acme-3', posted('acme', body));
    expect([fork.response?.status, fork.isHeld]).toEqual([201, true]);
    expect(seen((await ask('acme', '/session/acme-2')).response)).toEqual(busy);
    fork.take();
    expect((await ask('acme', '/session/acme-2')).response?.status).toBe(200);
  });

  test('are released immediately if the mount cannot report when they are taken', async () => {
    const sessions = openSessions();
    await largeSession(sessions, 'acme-1', 40);
    const handler = createSessionHandler({
      sessions,
      authenticate: (key) => key,
      maxPendingBytes: 100 * KIB,
    });
    for (let at = 0; at < 10; at += 1) {
      expect(
        (await handler(request('GET', '/session/acme-1', { header: () => 'acme' })))?.status,
      ).toBe(200);
    }
  });
});

test('are released if an answer cannot be serialised', async () => {
  const inner = new MemorySessionStore();
  let isBroken = true;
  const sessions = openSessions(
    changed(inner, {
      find: (...asked) =>
        inner.find(...asked).map((found) => {
          if (!isBroken || found === undefined) return found;
          const options = { ...found.head.options };
          Object.defineProperty(options, 'face', {
            enumerable: true,
            get: () => {
              throw new Error('cannot be read');
            },
          });
          return { ...found, head: { ...found.head, options } };
        }),
    }),
  );
  await largeSession(sessions, 'acme-1', 40);
  const { ask } = clientsOf(sessions, { maxPendingBytes: 100 * KIB });
  expect(seen((await ask('acme', '/session/acme-1')).response)).toEqual(busy);
  isBroken = false;
  expect((await ask('acme', '/session/acme-1')).response?.status).toBe(200);
});

describeWithRedis('a page with the latest entries on Redis under the byte limit', ({ port }) => {
  test('is served if it fits, however often the store reads further back', async () => {
    const client = openClient('ioredis 5', { port });
    const sessions = openSessions(
      new RedisSessionStore({ client, prefix: `pending-${process.pid}`, timeoutMs: PATIENT_MS }),
    );
    const acme = sessions.forTenant('acme');
    const entries = Array.from({ length: 20 }, () => ({
      role: 'user',
      content: 'x'.repeat(8 * KIB),
    }));
    for (let at = 0; at < 10; at += 1) {
      const { id } = await okOf(acme.create(ada));
      await okOf(acme.start(id));
      await okOf(acme.append(id, entries));
    }
    const { ask } = clientsOf(sessions, { maxPendingBytes: 3_500_000 });
    const { response, take } = await ask('acme', '/sessions?limit=10&history_limit=20');
    expect(response?.status).toBe(200);
    expect(seen((await ask('acme', '/sessions?limit=10&history_limit=20')).response)).toEqual(busy);
    take();
    expect((await ask('acme', '/sessions?limit=10&history_limit=20')).response?.status).toBe(200);
  });
});

describe('a store that answers after the timeout', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is no longer admitted, and occupies no bytes forever', async () => {
    const inner = new MemorySessionStore();
    const admitted: boolean[] = [];
    let isSlow = false;
    const store = changed(inner, {
      find: async (...asked) => {
        if (isSlow) await new Promise((resolve) => setTimeout(resolve, 5000));
        const answer = inner.find(...asked);
        if (isSlow) admitted.push(answer.isOk());
        return answer;
      },
    });
    const sessions = openSessions(store);
    await largeSession(sessions, 'acme-1', 40);
    const { ask } = clientsOf(sessions, { maxPendingBytes: 100 * KIB, timeoutMs: 1000 });
    isSlow = true;
    const late = Promise.all(Array.from({ length: 5 }, () => ask('acme', '/session/acme-1')));
    await vi.advanceTimersByTimeAsync(1000);
    expect((await late).map(({ response }) => seen(response))).toEqual(Array(5).fill(busy));
    await vi.advanceTimersByTimeAsync(5000);
    expect(admitted).toEqual(Array(5).fill(false));
    isSlow = false;
    expect((await ask('acme', '/session/acme-1')).response?.status).toBe(200);
  });
});

describe('unread answers over node:http', () => {
  // Far more than the buffers of a connection hold.
  const LARGE = 24 * KIB;

  const serve = async (maxPendingBytes: number) => {
    const sessions = openSessions();
    await largeSession(sessions, 'acme-1', LARGE);
    await largeSession(sessions, 'acme-2', 1);
    await largeSession(sessions, 'globex-1', 100);
    const server = await listening(
      nodeListener(createSessionHandler({ sessions, authenticate: (key) => key, maxPendingBytes })),
    );
    onTestFinished(() => server.close());
    const get = (path: string, key: string) =>
      send(server.origin, path, { headers: { 'X-API-KEY': key } });
    /** Waits until a request receives this answer. */
    const until = (status: number, path: string, key: string) =>
      vi.waitFor(async () => expect((await get(path, key)).status).toBe(status), {
        timeout: PATIENT_MS,
        interval: 20,
      });
    /** Requests the large session, and reads only the headers. */
    const askAndWait = async (): Promise<IncomingMessage> => {
      const call = httpGet(`${server.origin}/session/acme-1`, {
        agent: false,
        headers: { 'X-API-KEY': 'acme' },
      });
      const [answer]: IncomingMessage[] = await once(call, 'response');
      if (answer === undefined) throw new Error('no answer');
      onTestFinished(() => void answer.destroy());
      return answer;
    };
    return { get, until, askAndWait };
  };

  test('block the same key with 503 but no other key, until the client disconnects', async () => {
    const { get, until, askAndWait } = await serve(32 * KIB * KIB);
    const held = await askAndWait();
    const { late, value } = await inTime(5000, () => get('/session/acme-1', 'acme'));
    expect([late, value.status, value.headers['retry-after']]).toEqual([false, 503, '1']);
    expect((await get('/session/globex-1', 'globex')).status).toBe(200);
    held.destroy();
    await until(200, '/session/acme-1', 'acme');
  });

  test('free their bytes when the client has read them', async () => {
    const { get, until, askAndWait } = await serve(1 * KIB * KIB);
    const held = await askAndWait();
    expect((await get('/session/acme-2', 'acme')).status).toBe(503);
    let bytes = 0;
    for await (const chunk of held) bytes += chunk.length;
    expect(bytes).toBe(Number(held.headers['content-length']));
    expect(bytes).toBeGreaterThan(LARGE * KIB * 0.99);
    await until(200, '/session/acme-2', 'acme');
    expect((await get('/session/acme-1', 'acme')).status).toBe(200);
  });
});
