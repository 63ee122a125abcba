import { afterEach, describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import {
  commandRoutes,
  createSessionHandler,
  type HandlerRequest,
  type SessionHandlerOptions,
} from '../../src/http/index.js';
import { SessionService, type SessionServiceOptions, type SessionStore } from '../../src/index.js';
import { planAppend } from '../../src/plan/append.js';
import { MAX_RACES } from '../../src/session/limits.js';
import { ada, countingIds, okOf } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { request, seen } from './handler-harness.js';

const KIB = 1024;

/**
 * A handler over a store whose calls are counted, and sessions of these numbers of KiB, as `s1` and
 * so on.
 */
const open = async (
  sizes: readonly number[],
  store: SessionStore = new MemorySessionStore(),
  options: Partial<SessionServiceOptions & SessionHandlerOptions<SessionService>> = {},
) => {
  const { limits, ...handling } = options;
  const sessions = new SessionService({ store, ids: countingIds(), ...(limits && { limits }) });
  for (const kib of sizes) {
    const { id } = await okOf(sessions.create({ ...ada, start: true }));
    for (let left = kib; left > 0; left -= 200) {
      await okOf(
        sessions.append(id, [{ role: 'user', content: 'x'.repeat(Math.min(left, 200) * KIB) }]),
      );
    }
  }
  const handler = createSessionHandler({
    sessions,
    authenticate: () => 'default',
    routes: [commandRoutes()],
    ...handling,
  });
  const ask = (url: string, more: Partial<HandlerRequest> = {}) =>
    handler(request('GET', url, more));
  const statusOf = async (url: string) => (await ask(url))?.status;
  const calls = { find: vi.spyOn(store, 'find'), list: vi.spyOn(store, 'page') };
  const maxima = (name: keyof typeof calls) =>
    calls[name].mock.calls.map(([, size]) => size?.maxBytes ?? 0);
  return { sessions, ask, handler, statusOf, maxima };
};

describe('an answer over HTTP', () => {
  test('takes one store call if it is small', async () => {
    const { statusOf, maxima } = await open([1, 2]);
    expect(await statusOf('/session/s1')).toBe(200);
    expect(await statusOf('/session/s1?history_limit=1')).toBe(200);
    expect(await statusOf('/sessions')).toBe(200);
    expect([maxima('find'), maxima('list')]).toEqual([[64 * KIB, 64 * KIB], [64 * KIB]]);
  });

  test('takes a second call with its size if it is larger', async () => {
    const { statusOf, maxima } = await open([100, 300]);
    expect(await statusOf('/session/s1')).toBe(200);
    expect(await statusOf('/sessions')).toBe(200);
    for (const [name, kib] of [
      ['find', 100],
      ['list', 400],
    ] as const) {
      const [first = 0, second = 0, ...more] = maxima(name);
      expect([first, more]).toEqual([64 * KIB, []]);
      expect(second / KIB / kib).toBeCloseTo(1, 1);
    }
  });

  test("may have any size for one session, and the service's limit for a page of several", async () => {
    for (const pageKib of [10, 64, 100]) {
      const limits = { pageBytes: pageKib * KIB };
      const { ask, statusOf } = await open([150, 150], new MemorySessionStore(), { limits });
      expect(await statusOf('/session/s1')).toBe(200);
      expect(await statusOf('/sessions?limit=1')).toBe(200);
      expect(await statusOf('/sessions?page=2&limit=1')).toBe(200);
      expect(seen(await ask('/sessions'))).toEqual([422, 'page_too_large']);
      const alone = await open([150], new MemorySessionStore(), { limits });
      expect(await alone.statusOf('/sessions')).toBe(200);
    }
  });

  test('reads a long history once for a fork, piece by piece', async () => {
    const inner = new MemorySessionStore();
    const { handler, sessions } = await open([3000], inner, { limits: { forkBytes: 4096 * KIB } });
    const entries = vi.spyOn(inner, 'entries');
    const bytes = new TextEncoder().encode(JSON.stringify({ ...ada, from: { id: 's1' } }));
    const forked = await handler(
      request('POST', '/create-session', { body: async () => ({ outcome: 'read', bytes }) }),
    );
    expect(forked?.status).toBe(201);
    const { session_id: id } = JSON.parse(forked?.body ?? '{}');
    expect((await okOf(sessions.get(id))).history).toHaveLength(15);
    expect(entries).toHaveBeenCalledTimes(3);
  });
});

describe('a session that grows during a read', () => {
  /** A store whose session grows by 100 KiB with each of the first reads. */
  const growing = (times: number) => {
    const inner = new MemorySessionStore();
    let left = times;
    return changed(inner, {
      find: (key, size) => {
        const found = inner.find(key, size);
        if (size?.maxBytes !== undefined && left > 0) {
          left -= 1;
          const entries = [
            { role: 'user', content: 'x'.repeat(100 * KIB), timestamp: '2026-01-31T12:00:00.000Z' },
          ];
          inner.change(planAppend(key, { entries, now: Date.parse('2026-01-31T12:00:00.000Z') }));
        }
        return found;
      },
    });
  };

  test('is read again with its new size', async () => {
    const { statusOf, maxima } = await open([100], growing(3));
    expect(await statusOf('/session/s1')).toBe(200);
    expect(maxima('find').map((bytes) => Math.round(bytes / KIB / 100))).toEqual([1, 1, 2, 3, 4]);
  });

  test('answers 503 after several reads if it keeps growing', async () => {
    const { ask, maxima } = await open([100], growing(Number.POSITIVE_INFINITY));
    const answer = await ask('/session/s1');
    expect(seen(answer)).toEqual([503, 'store_unavailable']);
    expect(answer?.headers).toMatchObject({ 'Retry-After': '1' });
    expect(maxima('find')).toHaveLength(MAX_RACES);
    expect((await ask('/session/s2'))?.status).toBe(404);
  });
});

describe('a slow store', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is bounded by one timeout for all reads of an answer', async () => {
    vi.useFakeTimers();
    const inner = new MemorySessionStore();
    const store = changed(inner, {
      find: async (...args) => {
        await new Promise((resolve) => setTimeout(resolve, 700));
        return inner.find(...args);
      },
    });
    const { ask, maxima } = await open([1, 100], store, { timeoutMs: 1000 });
    const small = ask('/session/s1');
    const large = ask('/session/s2');
    await vi.advanceTimersByTimeAsync(1000);
    expect([seen(await small), seen(await large)]).toEqual([
      [200, undefined],
      [503, 'store_unavailable'],
    ]);
    expect(maxima('find')).toHaveLength(3);
  });
});

describe('many concurrent small answers of one tenant', () => {
  test('are all served', async () => {
    const inner = new MemorySessionStore();
    let waiting = 0;
    let proceed = () => {};
    const allAreThere = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const store = changed(inner, {
      find: async (...args) => {
        waiting += 1;
        if (waiting === 500) proceed();
        await allAreThere;
        return inner.find(...args);
      },
    });
    const { statusOf } = await open([1], store);
    const statuses = await Promise.all(Array.from({ length: 500 }, () => statusOf('/session/s1')));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(waiting).toBe(500);
  });

  test('hold roughly their size until clients have taken them, not what was first reserved', async () => {
    const { ask, maxima } = await open([1], new MemorySessionStore(), {
      maxPendingBytes: 16 * KIB * KIB,
    });
    const held: (() => void)[] = [];
    const onClose = (listener: () => void) => void held.push(listener);
    for (let at = 0; at < 1000; at += 1)
      expect((await ask('/session/s1', { onClose }))?.status).toBe(200);
    expect([held.length, maxima('find').length]).toEqual([1000, 1000]);
    expect(Math.min(...maxima('find'))).toBeGreaterThan(10 * KIB);
  });
});
