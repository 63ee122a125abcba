import { describe, expect, test } from 'vitest';
import { httpStatusOf, type ListQuery, SEARCH_LIMIT } from '../../src/index.js';
import { planCreate } from '../../src/plan/create.js';
import { headOf, live, NOON } from '../../src/testing/samples.js';
import { ada, errorOf, okOf, openSessions } from '../support/sessions.js';

const labelled = (labels: Readonly<Record<string, string>>) => ({ ...ada, labels });

describe('labels', () => {
  test('are set by create and read with the session', async () => {
    const { sessions } = openSessions();
    const created = await okOf(sessions.create(labelled({ user: 'u-1', channel: 'web' })));
    expect(created.labels).toEqual({ channel: 'web', user: 'u-1' });
    expect((await okOf(sessions.get(created.id))).labels).toEqual(created.labels);
    expect((await okOf(sessions.create(ada))).labels).toEqual({});
  });

  test("are copied: changing the caller's object changes nothing in the store", async () => {
    const { sessions } = openSessions();
    const given = { user: 'u-1' };
    const { id, labels } = await okOf(sessions.create(labelled(given)));
    given.user = 'u-2';
    Reflect.set(labels, 'user', 'u-3');
    expect((await okOf(sessions.get(id))).labels).toEqual({ user: 'u-1' });
  });

  test('filter a list, by page and by cursor', async () => {
    const { sessions, clock } = openSessions();
    for (let at = 0; at < 25; at += 1) {
      clock.pass(1000);
      await okOf(sessions.create(labelled({ user: at % 2 === 0 ? 'u-1' : 'u-2' })));
    }
    const second = await okOf(sessions.list({ labels: { user: 'u-1' }, page: 2, limit: 5 }));
    expect(second.total).toBe(13);
    expect(second.sessions.map(({ id }) => id)).toEqual(['s15', 's13', 's11', 's9', 's7']);
    const ids: string[] = [];
    for await (const session of sessions.each({
      labels: { user: 'u-1' },
      limit: 2,
      order: 'oldest',
    })) {
      ids.push(session._unsafeUnwrap().id);
    }
    expect(ids).toEqual(Array.from({ length: 13 }, (_, at) => `s${2 * at + 1}`));
  });

  test('are part of what an idempotency key identifies', async () => {
    const { sessions } = openSessions();
    const input = { ...labelled({ user: 'u-1', channel: 'web' }), idempotencyKey: 'call-1' };
    const { id } = await okOf(sessions.create(input));
    const again = { ...input, labels: { channel: 'web', user: 'u-1' } };
    expect((await okOf(sessions.create(again))).id).toBe(id);
    for (const labels of [{ user: 'u-2', channel: 'web' }, { user: 'u-1' }, {}]) {
      expect(await errorOf(sessions.create({ ...input, labels }))).toMatchObject({
        type: 'idempotency_mismatch',
      });
    }
  });

  test('are limited to eight, with plain names and non-empty values', async () => {
    const { sessions } = openSessions();
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`n${at}`, 'x']));
    const names = 'labels must have names of 1 to 64 of the characters A-Z a-z 0-9 _ . -';
    const refused: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      [many, 'labels must be at most 8'],
      [{ 'us\u00E9r': 'x' }, names],
      [{ '': 'x' }, names],
      [{ 'a b': 'x' }, names],
      [{ ['n'.repeat(65)]: 'x' }, names],
      [{ '\u001b[31m\u202e': '' }, names],
      [{ user: '' }, 'labels.user must have 1 to 256 characters'],
      [{ user: 'x'.repeat(257) }, 'labels.user must have 1 to 256 characters'],
    ];
    for (const [labels, message] of refused) {
      expect(await errorOf(sessions.create(labelled(labels)))).toMatchObject({
        type: 'invalid_input',
        message,
      });
    }
    await okOf(sessions.create(labelled({ ['n'.repeat(64)]: 'x'.repeat(256), userId: 'u-1' })));
  });

  test('can be filtered by one to eight at a time', async () => {
    const { sessions } = openSessions();
    const rule = "labels must be 1 to 8 labels, such as { user: 'u-1' }";
    const nine = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`n${at}`, 'x']));
    for (const label of [{}, nine]) {
      expect(await errorOf(sessions.list({ labels: label }))).toMatchObject({
        type: 'invalid_input',
        message: rule,
      });
    }
  });

  test('find the sessions that have all of them, also in a status', async () => {
    const { sessions } = openSessions();
    const all = [
      { user: 'u-1', channel: 'web' },
      { user: 'u-1', channel: 'phone' },
      { user: 'u-2', channel: 'web' },
    ];
    for (const labels of all) await okOf(sessions.create(labelled(labels)));
    await okOf(sessions.start('s2'));
    const idsOf = async (query: ListQuery) =>
      (await okOf(sessions.list(query))).sessions.map(({ id }) => id);
    expect(await idsOf({ labels: { channel: 'web', user: 'u-1' } })).toEqual(['s1']);
    expect(await idsOf({ labels: { user: 'u-1' }, status: 'ACTIVE' })).toEqual(['s2']);
    expect(await idsOf({ labels: { user: 'u-1' }, status: 'IDLE' })).toEqual(['s1']);
    expect(await idsOf({ labels: { channel: 'phone', user: 'u-2' } })).toEqual([]);
  });

  test("list a user's sessions by last use, including overdue ends", async () => {
    const { sessions, clock } = openSessions({ inactivityTimeout: 60 });
    for (let at = 0; at < 4; at += 1) {
      await okOf(sessions.create(labelled({ user: 'u-1' })));
      clock.pass(1000);
    }
    await okOf(sessions.start('s1'));
    clock.pass(1000);
    await okOf(sessions.start('s2'));
    clock.pass(1000);
    await okOf(sessions.update('s3', { labels: { title: 'Tax return' } }));
    const shown = async () => {
      const page = await okOf(sessions.list({ labels: { user: 'u-1' }, order: 'updated' }));
      const times = page.sessions.map(({ updatedAt }) => updatedAt);
      expect(times).toEqual(times.toSorted().reverse());
      return page.sessions.map(({ id }) => id);
    };
    expect(await shown()).toEqual(['s2', 's1', 's4', 's3']);
    clock.pass(60_000);
    expect(await shown()).toEqual(['s2', 's1', 's4', 's3']);
    const ids: string[] = [];
    for await (const session of sessions.each({
      labels: { user: 'u-1' },
      order: 'updated',
      limit: 1,
    })) {
      ids.push(session._unsafeUnwrap().id);
    }
    expect(ids).toEqual(['s2', 's1', 's4', 's3']);
  });

  test('reject the cursor of a list in another order', async () => {
    const { sessions } = openSessions();
    for (let at = 0; at < 2; at += 1) await okOf(sessions.create(labelled({ user: 'u-1' })));
    const label = { user: 'u-1' };
    const { nextCursor: next = '' } = await okOf(
      sessions.list({ labels: label, order: 'updated', limit: 1 }),
    );
    const { nextCursor: byCreation = '' } = await okOf(sessions.list({ labels: label, limit: 1 }));
    const wrong = { message: 'cursor must be a cursor: the `nextCursor` of a page of this list' };
    for (const query of [
      { labels: label, cursor: next },
      { labels: label, order: 'updated', cursor: byCreation },
    ] as const) {
      expect(await errorOf(sessions.list(query))).toMatchObject(wrong);
    }
  });

  test('return an error with the limit if a search would read too many sessions', async () => {
    const { sessions, store } = openSessions();
    for (let at = 0; at <= SEARCH_LIMIT; at += 1) {
      const state = live('IDLE', { labels: { user: 'u-1' } });
      const head = headOf(`s${at}`, NOON + at);
      store.begin(planCreate('default', { head, state, entries: [], guards: {} }));
    }
    const error = await errorOf(sessions.list({ labels: { user: 'u-1' }, order: 'updated' }));
    expect(error).toMatchObject({ type: 'search_too_large', limit: 10_000 });
    expect(error.message).toMatch(
      /^the list examines more than 10000 sessions: narrow it with labels, a status/,
    );
    expect(httpStatusOf(error)).toBe(422);
    const items: unknown[] = [];
    for await (const item of sessions.each({ labels: { user: 'u-1' }, status: 'IDLE' })) {
      items.push(item.isErr() && item.error.type);
    }
    expect(items).toEqual(['search_too_large']);
    expect((await okOf(sessions.list({ labels: { user: 'u-1' } }))).total).toBe(10_001);
  });
});
