import { describe, expect, test } from 'vitest';
import type { SessionService } from '../../src/service/session-service.js';
import { ada, createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { TextSessionStore } from '../support/store-doubles.js';

const createMany = async (sessions: SessionService, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) await okOf(sessions.create(ada));
};

const idsOf = async (sessions: SessionService, query?: { readonly limit?: number; readonly page?: number }) =>
  (await okOf(sessions.list(query))).sessions.map(({ id }) => id);

describe('the list', () => {
  test('is empty at first', async () => {
    const { sessions } = openSessions();
    expect(await okOf(sessions.list())).toEqual({ sessions: [], total: 0, limit: 10, page: 1, unreadable: [] });
  });

  test('has ten sessions on a page unless asked for another number, the newest first', async () => {
    const { sessions, clock } = openSessions();
    for (let index = 0; index < 12; index += 1) {
      await createdIn(sessions);
      clock.pass(1);
    }
    expect(await idsOf(sessions)).toEqual(['s12', 's11', 's10', 's9', 's8', 's7', 's6', 's5', 's4', 's3']);
    expect(await idsOf(sessions, { page: 2 })).toEqual(['s2', 's1']);
    expect(await idsOf(sessions, { limit: 5, page: 3 })).toEqual(['s2', 's1']);
    expect(await idsOf(sessions, { page: 3 })).toEqual([]);
  });

  test('orders those of one millisecond by id, the same way on every page and every time', async () => {
    const { sessions } = openSessions();
    await createMany(sessions, 30);
    const all = await idsOf(sessions, { limit: 100 });
    expect(all).toEqual(all.toSorted().toReversed());
    const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => idsOf(sessions, { limit: 7, page })));
    expect(pages.flat()).toEqual(all);
  });

  test('tells the total, the page and the limit that were served', async () => {
    const { sessions } = openSessions();
    await createMany(sessions, 105);
    const page = await okOf(sessions.list({ limit: 1000 }));
    expect(page.sessions).toHaveLength(100);
    expect(page).toMatchObject({ total: 105, limit: 100, page: 1, unreadable: [] });
    const last = await okOf(sessions.list({ limit: 1000, page: 2 }));
    expect(last.sessions).toHaveLength(5);
    expect(last).toMatchObject({ total: 105, limit: 100, page: 2 });
  });

  test('has nothing on a page far behind the end', async () => {
    const { sessions } = openSessions();
    await createMany(sessions, 3);
    const page = await okOf(sessions.list({ limit: 100, page: Number.MAX_SAFE_INTEGER }));
    expect(page).toMatchObject({ sessions: [], total: 3, page: Number.MAX_SAFE_INTEGER });
  });

  test('shows whole sessions, as get does', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 2 });
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    clock.pass(1500);
    await createdIn(sessions);
    const { sessions: listed } = await okOf(sessions.list());
    expect(listed).toEqual([await okOf(sessions.get('s2')), await okOf(sessions.get('s1'))]);
    expect(listed[1]).toMatchObject({ status: 'ACTIVE', duration: 1, history: [{ content: 'hello' }] });
  });

  test('leaves out what was deleted', async () => {
    const { sessions } = openSessions();
    await createMany(sessions, 3);
    await okOf(sessions.delete('s2'));
    expect(await idsOf(sessions)).toEqual(['s3', 's1']);
  });

  test('names the sessions that cannot be read, and shows the others', async () => {
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
