import { err, type ResultAsync } from 'neverthrow';
import { describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { ReadSize, Session, SessionError, SessionServiceOptions } from '../../src/index.js';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

/** Sessions with one entry each. `letters` is the length of the entry. */
const openLarge = async (
  count: number,
  letters: number,
  options: Partial<SessionServiceOptions> = {},
) => {
  const store = new MemorySessionStore();
  const opened = openSessions({ store, ...options });
  const content = 'x'.repeat(letters);
  for (let at = 0; at < count; at += 1) {
    const id = await startedIn(opened.sessions);
    await okOf(opened.sessions.append(id, [{ role: 'user', content }]));
    opened.clock.pass(1);
  }
  return { ...opened, store };
};

describe('a page of large sessions', () => {
  test('is limited to 8 MiB by default: 100 sessions of 250 kB are rejected, 32 are returned', async () => {
    const { sessions } = await openLarge(100, 250_000);
    const error = await errorOf(sessions.list({ limit: 100 }));
    expect(error).toMatchObject({ type: 'page_too_large', limit: 8 * 1024 * 1024 });
    expect(error.type === 'page_too_large' && error.bytes / 25_000_000).toBeCloseTo(1, 1);
    expect(error.message).toMatch(/ask for a smaller limit or historyLimit$/);
    expect((await okOf(sessions.list({ limit: 32 }))).sessions).toHaveLength(32);
    expect((await errorOf(sessions.list({ limit: 34 }))).type).toBe('page_too_large');
  });

  test('is returned with shorter histories', async () => {
    const { sessions } = await openLarge(40, 250_000);
    const page = await okOf(sessions.list({ limit: 40, historyLimit: 0 }));
    expect(page.sessions).toHaveLength(40);
    expect(
      page.sessions.every(
        ({ history, historyCount }) => history.length === 0 && historyCount === 1,
      ),
    ).toBe(true);
  });

  test('is returned at exactly its limit, and rejected with one byte more', async () => {
    const { sessions, store, clock } = await openLarge(3, 1000);
    const { type, ...tooLarge } = await errorOf(
      openSessions({ store, clock, limits: { pageBytes: 1 } }).sessions.list({ limit: 3 }),
    );
    const bytes = type === 'page_too_large' && 'bytes' in tooLarge ? tooLarge.bytes : Number.NaN;
    expect(bytes / JSON.stringify((await okOf(sessions.list())).sessions).length).toBeCloseTo(1, 1);
    const served = openSessions({ store, clock, limits: { pageBytes: bytes } }).sessions;
    expect((await okOf(served.list({ limit: 3 }))).sessions).toHaveLength(3);
    const refused = openSessions({ store, clock, limits: { pageBytes: bytes - 1 } }).sessions;
    expect(await errorOf(refused.list({ limit: 3 }))).toMatchObject({ bytes, limit: bytes - 1 });
  });

  test('is always returned if it contains one session, by list and by get', async () => {
    const { sessions } = await openLarge(3, 5000, { limits: { pageBytes: 1000 } });
    const page = await okOf(sessions.list({ limit: 1 }));
    expect(page.sessions[0]?.history[0]?.content).toHaveLength(5000);
    expect(page.total).toBe(3);
    expect((await okOf(sessions.list({ limit: 2, page: 2 }))).sessions).toHaveLength(1);
    expect((await okOf(sessions.get('s1'))).history[0]?.content).toHaveLength(5000);
    expect((await errorOf(sessions.list({ limit: 2 }))).type).toBe('page_too_large');
  });

  test('is rejected before anything of it is read', async () => {
    const { sessions, store } = await openLarge(2, 5000, { limits: { pageBytes: 1000 } });
    const page = vi.spyOn(store, 'page');
    await errorOf(sessions.list());
    expect(page.mock.results.map(({ value }) => value._unsafeUnwrapErr().type)).toEqual([
      'too_large',
    ]);
  });

  test('is never too large if it is empty', async () => {
    const { sessions } = await openLarge(2, 5000, { limits: { pageBytes: 1 } });
    expect((await okOf(sessions.list({ page: 9 }))).sessions).toEqual([]);
    expect((await okOf(sessions.forTenant('globex').list())).sessions).toEqual([]);
  });
});

describe('each() over large sessions', () => {
  const walk = async (sessions: AsyncIterable<{ _unsafeUnwrap(): Session }>) => {
    const ids: string[] = [];
    for await (const session of sessions) ids.push(session._unsafeUnwrap().id);
    return ids;
  };

  test('reads smaller pages if one would be too large, and yields each session once', async () => {
    const { sessions, store } = await openLarge(30, 5000, { limits: { pageBytes: 25_000 } });
    const page = vi.spyOn(store, 'page');
    const newest = Array.from({ length: 30 }, (_, at) => `s${30 - at}`);
    expect(await walk(sessions.each())).toEqual(newest);
    expect(await walk(sessions.each({ order: 'oldest', limit: 7 }))).toEqual(newest.toReversed());
    const limits = page.mock.calls.map(([, { limit }]) => limit);
    expect(limits.slice(0, 6)).toEqual([100, 50, 25, 13, 7, 4]);
    // A single session is served, however large it is.
    const tiny = openSessions({ store, limits: { pageBytes: 1 } }).sessions;
    expect(await walk(tiny.each({ limit: 4 }))).toEqual(newest);
  });

  test('continues with pages of the size that was possible, and with larger ones for small sessions', async () => {
    const { sessions, store, clock } = openSessions({ limits: { pageBytes: 25_000 } });
    for (let at = 0; at < 200; at += 1) {
      const id = await startedIn(sessions);
      if (at >= 170) await okOf(sessions.append(id, [{ role: 'user', content: 'x'.repeat(5000) }]));
      clock.pass(1);
    }
    const page = vi.spyOn(store, 'page');
    expect(await walk(sessions.each())).toHaveLength(200);
    const served = page.mock.results.flatMap(({ value }) =>
      value.isOk() ? [value.value.records.length] : [],
    );
    expect(served.slice(0, 6)).toEqual([4, 4, 4, 4, 4, 4]);
    expect(served.at(-2)).toBeGreaterThan(60);
    expect(page.mock.calls.length).toBeLessThan(30);
  });
});

describe('a read with maxBytes', () => {
  const tooLarge = async (read: ResultAsync<unknown, SessionError>) => {
    const error = await errorOf(read);
    if (error.type !== 'page_too_large') throw new Error(error.type);
    return error;
  };

  test('fails with the size of the result, and succeeds with that size', async () => {
    const { sessions } = await openLarge(3, 5000);
    const page = await okOf(sessions.list());
    const session = await okOf(sessions.get('s1'));
    const reads = [
      [page.sessions, (maxBytes: number) => sessions.list({}, { maxBytes })],
      [session, (maxBytes: number) => sessions.get('s1', { maxBytes })],
      [
        { ...session, history: [] },
        (maxBytes: number) => sessions.get('s1', { maxBytes, historyLimit: 0 }),
      ],
    ] as const;
    for (const [value, read] of reads) {
      const { bytes, limit, message } = await tooLarge(read(1));
      expect(limit).toBe(1);
      expect(message).toContain(`${bytes} bytes, more than the maximum of 1`);
      expect(Math.abs(bytes - JSON.stringify(value).length)).toBeLessThan(200);
      expect((await read(bytes)).isOk()).toBe(true);
      expect(await tooLarge(read(bytes - 1))).toMatchObject({ bytes, limit: bytes - 1 });
    }
  });

  test('returns an empty page or not_found whatever its maximum', async () => {
    const { sessions } = await openLarge(2, 5000);
    expect(await okOf(sessions.list({ page: 5 }, { maxBytes: 1 }))).toMatchObject({
      sessions: [],
      total: 2,
    });
    expect((await errorOf(sessions.get('nobody', { maxBytes: 1 }))).type).toBe('not_found');
  });

  test("returns no page that exceeds the service's limit", async () => {
    const { sessions } = await openLarge(2, 5000, { limits: { pageBytes: 6000 } });
    for (const maxBytes of [1, 6000, 100_000]) {
      expect(await tooLarge(sessions.list({}, { maxBytes }))).toMatchObject({ limit: 6000 });
    }
  });

  test('returns a page of one session up to maxBytes, or of any size without it', async () => {
    const { sessions, store } = await openLarge(1, 5000, { limits: { pageBytes: 1000 } });
    const page = vi.spyOn(store, 'page');
    expect(await tooLarge(sessions.list({}, { maxBytes: 4000 }))).toMatchObject({ limit: 4000 });
    expect((await okOf(sessions.list({}, { maxBytes: 6000 }))).sessions).toHaveLength(1);
    expect((await okOf(sessions.list())).sessions).toHaveLength(1);
    // The last two were read again, because a page of several sessions has a smaller maximum.
    expect(page).toHaveBeenCalledTimes(5);
    expect((await okOf(sessions.list({ limit: 1 }))).sessions).toHaveLength(1);
    expect(page).toHaveBeenCalledTimes(6);
  });
});

describe('a store that returns too_large', () => {
  test('whatever the maximum, causes no endless loop', async () => {
    const inner = new MemorySessionStore();
    const tooLarge = ({ maxBytes = 1 }: ReadSize = {}) =>
      err({ type: 'too_large', message: '', bytes: maxBytes + 1, sessions: 1 } as const);
    const store = changed(inner, {
      find: (_, size) => tooLarge(size),
      page: (_, range) => tooLarge(range),
    });
    const { sessions } = openSessions({ store });
    expect((await errorOf(sessions.list())).type).toBe('page_too_large');
    expect((await errorOf(sessions.list({ limit: 1 }, { maxBytes: 7 }))).type).toBe(
      'page_too_large',
    );
    expect((await errorOf(sessions.get('s1', { maxBytes: 7 }))).type).toBe('page_too_large');
  });
});

describe('a part of a large history', () => {
  test('is about as large as a page may be, and continues after its position', async () => {
    const { sessions } = openSessions({ limits: { pageBytes: 10_000 } });
    const id = await createdIn(sessions);
    await okOf(sessions.start(id));
    const entries = Array.from({ length: 20 }, (_, at) => ({
      role: 'user',
      content: `${at}`.padEnd(3000, '.'),
    }));
    await okOf(sessions.append(id, entries));
    const last = await okOf(sessions.history(id));
    expect(last.entries.map(({ content }) => Number.parseInt(content, 10))).toEqual([17, 18, 19]);
    const read: number[] = [];
    for (let after = 0, hasMore = true; hasMore; ) {
      const part = await okOf(sessions.history(id, { after }));
      expect(part.entries.length).toBeLessThanOrEqual(3);
      read.push(...part.entries.map(({ content }) => Number.parseInt(content, 10)));
      ({ position: after, hasMore } = part);
    }
    expect(read).toEqual(entries.map((_, at) => at));
  });
});
