import { describe, expect, test } from 'vitest';
import { ada, errorOf, okOf, openSessions } from '../support/sessions.js';

const labelled = (labels: Readonly<Record<string, string>>) => ({ ...ada, labels });

describe('labels', () => {
  test('are given at creation and read with the session', async () => {
    const { sessions } = openSessions();
    const created = await okOf(sessions.create(labelled({ user: 'u-1', channel: 'web' })));
    expect(created.labels).toEqual({ channel: 'web', user: 'u-1' });
    expect((await okOf(sessions.get(created.id))).labels).toEqual(created.labels);
    expect((await okOf(sessions.create(ada))).labels).toEqual({});
  });

  test('belong to the caller: changing them changes nothing in the store', async () => {
    const { sessions } = openSessions();
    const given = { user: 'u-1' };
    const { id, labels } = await okOf(sessions.create(labelled(given)));
    given.user = 'u-2';
    Reflect.set(labels, 'user', 'u-3');
    expect((await okOf(sessions.get(id))).labels).toEqual({ user: 'u-1' });
  });

  test('find sessions, page by page and by cursor', async () => {
    const { sessions, clock } = openSessions();
    for (let at = 0; at < 25; at += 1) {
      clock.pass(1000);
      await okOf(sessions.create(labelled({ user: at % 2 === 0 ? 'u-1' : 'u-2' })));
    }
    const second = await okOf(sessions.list({ label: { user: 'u-1' }, page: 2, limit: 5 }));
    expect(second).toMatchObject({ total: 13, page: 2 });
    expect(second.sessions.map(({ id }) => id)).toEqual(['s15', 's13', 's11', 's9', 's7']);
    const ids: string[] = [];
    for await (const session of sessions.each({ label: { user: 'u-1' }, limit: 2, order: 'oldest' })) {
      ids.push(session._unsafeUnwrap().id);
    }
    expect(ids).toEqual(Array.from({ length: 13 }, (_, at) => `s${2 * at + 1}`));
  });

  test('are part of what an idempotency key stands for', async () => {
    const { sessions } = openSessions();
    const input = { ...labelled({ user: 'u-1', channel: 'web' }), idempotencyKey: 'call-1' };
    const { id } = await okOf(sessions.create(input));
    const again = { ...input, labels: { channel: 'web', user: 'u-1' } };
    expect((await okOf(sessions.create(again))).id).toBe(id);
    for (const labels of [{ user: 'u-2', channel: 'web' }, { user: 'u-1' }, {}]) {
      expect(await errorOf(sessions.create({ ...input, labels }))).toMatchObject({ type: 'idempotency_mismatch' });
    }
  });

  test('number at most eight, with plain names and values that are not empty', async () => {
    const { sessions } = openSessions();
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`n${at}`, 'x']));
    const names = 'labels must have names of 1 to 64 of the characters a-z 0-9 _ . -';
    const refused: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      [many, 'labels must be at most 8'],
      [{ User: 'x' }, names],
      [{ '': 'x' }, names],
      [{ 'a b': 'x' }, names],
      [{ ['n'.repeat(65)]: 'x' }, names],
      [{ '\u001b[31m\u202e': '' }, names],
      [{ user: '' }, 'labels.user must have 1 to 256 characters'],
      [{ user: 'x'.repeat(257) }, 'labels.user must have 1 to 256 characters'],
    ];
    for (const [labels, message] of refused) {
      expect(await errorOf(sessions.create(labelled(labels)))).toMatchObject({ type: 'invalid_input', message });
    }
    await okOf(sessions.create(labelled({ ['n'.repeat(64)]: 'x'.repeat(256) })));
  });

  test('are asked for one at a time, and not with a status', async () => {
    const { sessions } = openSessions();
    const one = "label must be exactly one label, such as { user: 'u-1' }";
    expect(await errorOf(sessions.list({ label: {} }))).toMatchObject({ message: expect.stringContaining(one) });
    expect(await errorOf(sessions.list({ label: { a: 'x', b: 'y' } }))).toMatchObject({ message: one });
    expect(await errorOf(sessions.list({ label: { user: 'u-1' }, status: 'ACTIVE' }))).toMatchObject({
      message: 'label cannot be given with `status`',
    });
  });
});
