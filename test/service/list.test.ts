import { err } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { EachQuery, ListQuery } from '../../src/service/list-sessions.js';
import type { SessionService } from '../../src/service/session-service.js';
import { storeUnavailable } from '../../src/session/errors.js';
import { ada, createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed, TextSessionStore } from '../support/store-doubles.js';

const createMany = async (sessions: SessionService, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) await okOf(sessions.create(ada));
};

const idsOf = async (sessions: SessionService, query?: ListQuery) =>
  (await okOf(sessions.list(query))).sessions.map(({ id }) => id);

describe('a list', () => {
  test('is empty at first', async () => {
    const { sessions } = openSessions();
    expect(await okOf(sessions.list())).toEqual({
      sessions: [],
      total: 0,
      limit: 10,
      unreadable: [],
    });
  });

  test('returns ten sessions per page by default, the newest first', async () => {
    const { sessions, clock } = openSessions();
    for (let index = 0; index < 12; index += 1) {
      await createdIn(sessions);
      clock.pass(1);
    }
    expect(await idsOf(sessions)).toEqual([
      's12',
      's11',
      's10',
      's9',
      's8',
      's7',
      's6',
      's5',
      's4',
      's3',
    ]);
    expect(await idsOf(sessions, { page: 2 })).toEqual(['s2', 's1']);
    expect(await idsOf(sessions, { limit: 5, page: 3 })).toEqual(['s2', 's1']);
    expect(await idsOf(sessions, { page: 3 })).toEqual([]);
  });

  test('orders sessions of one millisecond by id, consistently over all pages', async () => {
    const { sessions } = openSessions();
    await createMany(sessions, 30);
    const all = await idsOf(sessions, { limit: 100 });
    expect(all).toEqual(all.toSorted().toReversed());
    const pages = await Promise.all(
      [1, 2, 3, 4, 5].map((page) => idsOf(sessions, { limit: 7, page })),
    );
    expect(pages.flat()).toEqual(all);
  });

  test('returns the total, the page and the limit that were applied', async () => {
    const { sessions } = openSessions();
    await createMany(sessions, 105);
    const page = await okOf(sessions.list({ limit: 1000 }));
    expect(page.sessions).toHaveLength(100);
    expect(page).toMatchObject({ total: 105, limit: 100, unreadable: [] });
    const last = await okOf(sessions.list({ limit: 1000, page: 2 }));
    expect(last.sessions).toHaveLength(5);
    expect(last).toMatchObject({ total: 105, limit: 100 });
  });

  test('is empty on a page far after the end', async () => {
    const { sessions } = openSessions();
    await createMany(sessions, 3);
    const page = await okOf(sessions.list({ limit: 100, page: Number.MAX_SAFE_INTEGER }));
    expect(page).toMatchObject({ sessions: [], total: 3 });
  });

  test('returns complete sessions, as get does', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 2 });
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    clock.pass(1500);
    await createdIn(sessions);
    const { sessions: listed } = await okOf(sessions.list());
    expect(listed).toEqual([await okOf(sessions.get('s2')), await okOf(sessions.get('s1'))]);
    expect(listed[1]).toMatchObject({
      status: 'ACTIVE',
      duration: 1,
      history: [{ content: 'hello' }],
    });
  });

  test('omits deleted sessions', async () => {
    const { sessions } = openSessions();
    await createMany(sessions, 3);
    await okOf(sessions.delete('s2'));
    expect(await idsOf(sessions)).toEqual(['s3', 's1']);
  });

  test('names unreadable sessions, and returns the others', async () => {
    const store = new TextSessionStore();
    const { sessions } = openSessions({ store });
    await createMany(sessions, 3);
    store.damage({ tenant: 'default', id: 's2' }, 'history');
    const page = await okOf(sessions.list());
    expect(page.sessions.map(({ id }) => id)).toEqual(['s3', 's1']);
    expect(page).toMatchObject({ total: 3, unreadable: ['s2'] });
    expect(await errorOf(sessions.get('s2'))).toMatchObject({ type: 'corrupt_record', id: 's2' });
    await okOf(sessions.delete('s2'));
    expect(await okOf(sessions.list())).toMatchObject({ total: 2, unreadable: [] });
  });
});

const createApart = async (
  { sessions, clock }: ReturnType<typeof openSessions>,
  count: number,
): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    await createdIn(sessions);
    clock.pass(1000);
  }
};

const namesOf = async (sessions: SessionService, query?: EachQuery) => {
  const names: string[] = [];
  for await (const session of sessions.each(query)) {
    names.push(session.isOk() ? session.value.id : `${session.error.type}`);
  }
  return names;
};

describe('a list with an order and creation times', () => {
  test('begins with the oldest session on request', async () => {
    const opened = openSessions();
    await createApart(opened, 12);
    expect(await idsOf(opened.sessions, { order: 'oldest', limit: 3 })).toEqual(['s1', 's2', 's3']);
    expect(await idsOf(opened.sessions, { order: 'oldest', limit: 5, page: 3 })).toEqual([
      's11',
      's12',
    ]);
    expect(await idsOf(opened.sessions, { order: 'newest', limit: 2 })).toEqual(['s12', 's11']);
  });

  test('excludes the given times themselves, and counts the rest', async () => {
    const opened = openSessions();
    const { sessions, clock } = opened;
    const start = clock.now();
    await createApart(opened, 6);
    const createdAfter = new Date(start);
    const createdBefore = new Date(start + 4000).toISOString().replace('Z', '+00:00');
    const page = await okOf(sessions.list({ createdAfter, createdBefore, limit: 2 }));
    expect(page.sessions.map(({ id }) => id)).toEqual(['s4', 's3']);
    expect(page).toMatchObject({ total: 3, nextCursor: expect.any(String) });
    expect(
      await idsOf(sessions, { createdAfter: createdBefore, createdBefore: createdAfter }),
    ).toEqual([]);
  });
});

describe('a list cursor', () => {
  test('is returned on every page but the last', async () => {
    const opened = openSessions();
    await createApart(opened, 6);
    for (const [query, hasNext] of [
      [{}, false],
      [{ limit: 5 }, true],
      [{ limit: 6 }, false],
      [{ limit: 2, page: 2 }, true],
      [{ limit: 2, page: 3 }, false],
      [{ page: 9 }, false],
    ] as const) {
      expect('nextCursor' in (await okOf(opened.sessions.list(query)))).toBe(hasNext);
    }
  });

  test('leads to the next page, with the same total and no page number', async () => {
    const opened = openSessions();
    await createApart(opened, 5);
    const first = await okOf(opened.sessions.list({ limit: 2 }));
    const second = await okOf(opened.sessions.list({ limit: 2, cursor: String(first.nextCursor) }));
    expect(second.sessions.map(({ id }) => id)).toEqual(['s3', 's2']);
    expect([second.total, second.limit, 'page' in second]).toEqual([5, 2, false]);
    const third = await okOf(opened.sessions.list({ limit: 2, cursor: String(second.nextCursor) }));
    expect([third.sessions.map(({ id }) => id), 'nextCursor' in third]).toEqual([['s1'], false]);
  });

  test('is not moved by sessions that are created or deleted', async () => {
    const opened = openSessions();
    const { sessions } = opened;
    await createApart(opened, 6);
    const { nextCursor: next } = await okOf(sessions.list({ limit: 3 }));
    await createApart(opened, 2);
    await okOf(sessions.delete('s4'));
    await okOf(sessions.delete('s6'));
    expect(await idsOf(sessions, { cursor: String(next) })).toEqual(['s3', 's2', 's1']);
    expect(await idsOf(sessions, { cursor: String(next), order: 'oldest' })).toEqual([
      's5',
      's7',
      's8',
    ]);
  });
});

describe('each()', () => {
  test('yields each session once over all pages, as get returns it', async () => {
    const opened = openSessions();
    await createApart(opened, 25);
    const newest = Array.from({ length: 25 }, (_, at) => `s${25 - at}`);
    expect(await namesOf(opened.sessions)).toEqual(newest);
    expect(await namesOf(opened.sessions, { limit: 5 })).toEqual(newest);
    expect(await namesOf(opened.sessions, { limit: 4, order: 'oldest' })).toEqual(
      newest.toReversed(),
    );
    for await (const session of opened.sessions.each({ limit: 25 })) {
      const value = session._unsafeUnwrap();
      expect(value).toEqual(await okOf(opened.sessions.get(value.id)));
    }
  });

  test('yields each session even if sessions are deleted in between', async () => {
    const opened = openSessions();
    await createApart(opened, 10);
    const names: string[] = [];
    for await (const session of opened.sessions.each({ limit: 3 })) {
      const { id } = session._unsafeUnwrap();
      names.push(id);
      await okOf(opened.sessions.delete(id));
      await createdIn(opened.sessions);
    }
    expect(names).toEqual(Array.from({ length: 10 }, (_, at) => `s${10 - at}`));
  });

  test('yields an error for an unreadable session among the others', async () => {
    const store = new TextSessionStore();
    const opened = openSessions({ store });
    await createApart(opened, 4);
    store.damage({ tenant: 'default', id: 's2' }, 'history');
    store.damage({ tenant: 'default', id: 's3' }, 'history');
    expect(await namesOf(opened.sessions, { limit: 2 })).toEqual([
      's4',
      'corrupt_record',
      's1',
      'corrupt_record',
    ]);
  });

  test('ends if the store fails, throws or repeats a cursor', async () => {
    const inner = new MemorySessionStore();
    const opened = openSessions({ store: inner });
    await createApart(opened, 4);
    const failing = (list: () => never): SessionService =>
      openSessions({
        store: changed(inner, {
          page: (tenant, range) => (range.cursor ? list() : inner.page(tenant, range)),
        }),
      }).sessions;
    const throws = failing(() => {
      throw new Error('out of order');
    });
    expect(await namesOf(throws, { limit: 3 })).toEqual(['s4', 's3', 's2', 'store_unavailable']);
    const down = openSessions({
      store: changed(inner, { page: () => err(storeUnavailable('down', 'not_applied')) }),
    });
    expect(await namesOf(down.sessions)).toEqual(['store_unavailable']);
    const place = { id: 's4', at: new Date(0).toISOString() };
    const circling = openSessions({
      store: changed(inner, {
        page: (tenant, { limit }) =>
          inner.page(tenant, { offset: 0, limit }).map((page) => ({ ...page, nextCursor: place })),
      }),
    });
    expect(await namesOf(circling.sessions, { limit: 1 })).toEqual(['s4', 's4']);
  });

  test('yields the error of an invalid query or tenant', async () => {
    const { sessions } = openSessions();
    expect(await namesOf(sessions, { limit: 0 })).toEqual(['invalid_input']);
    expect(await namesOf(sessions, { cursor: 'junk' })).toEqual(['invalid_input']);
    expect(await namesOf(sessions.forTenant(''))).toEqual(['invalid_input']);
  });

  test('uses the query as it was when it was called', async () => {
    const opened = openSessions();
    await createApart(opened, 3);
    const query: { order: 'newest' | 'oldest' } = { order: 'oldest' };
    const all = opened.sessions.each(query);
    query.order = 'newest';
    const names: string[] = [];
    for await (const session of all) names.push(session._unsafeUnwrap().id);
    expect(names).toEqual(['s1', 's2', 's3']);
  });
});
