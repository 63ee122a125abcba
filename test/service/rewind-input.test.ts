import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionService } from '../../src/index.js';
import { rewindTo } from '../support/rewind-to.js';
import { call, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

const user = (content: string) => ({ role: 'user', content });
const open = () => openSessions({ store: new MemorySessionStore() }).sessions;

const shown = async (sessions: SessionService, id: string) =>
  (await okOf(sessions.get(id))).history.map(({ content }) => content);

/** A conversation of three entries, with its first and its last position. */
const talk = async (sessions: SessionService) => {
  const id = await startedIn(sessions);
  const { position: question } = await okOf(sessions.append(id, [user('question')]));
  const { position: end } = await okOf(sessions.append(id, [user('answer'), user('thanks')]));
  return { id, question, end };
};

describe('the input of a rewind', () => {
  test.each([
    ['to', 'or before or after is required, and only one of them'],
    ['ifPosition', 'is required with a position'],
  ])('is rejected with a wrong or missing %s, and nothing changes', async (path, required) => {
    const sessions = open();
    const { id, end } = await talk(sessions);
    for (const value of ['5', -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, {}, true, 2 ** 53]) {
      const input = { to: 0, ifPosition: end, entries: [user('x')], [path]: value };
      expect(await errorOf(call(sessions, 'rewind', id, input))).toMatchObject({
        type: 'invalid_input',
        issues: [{ path, message: expect.stringContaining('whole number') }],
      });
    }
    const without = { to: 0, ifPosition: end, entries: [user('x')], [path]: undefined };
    expect(await errorOf(call(sessions, 'rewind', id, without))).toMatchObject({
      type: 'invalid_input',
      issues: [{ path, message: required }],
    });
    for (const input of [undefined, null, 'x', []]) {
      expect(await errorOf(call(sessions, 'rewind', id, input))).toMatchObject({
        type: 'invalid_input',
      });
    }
    expect(await shown(sessions, id)).toHaveLength(3);
  });

  test('may omit entries, whereas an append requires them and has no after', async () => {
    const sessions = open();
    const { id, end } = await talk(sessions);
    expect(await errorOf(sessions.append(id, [], { ifPosition: end }))).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: 'entries', message: 'must be an array of 1 to 1000 entries' }],
    });
    expect(await errorOf(call(sessions, 'append', id, [user('x')], { after: 0 }))).toMatchObject({
      issues: [{ path: 'after', message: 'is unknown' }],
    });
    expect(
      await errorOf(call(sessions, 'rewind', id, { to: 0, ifPosition: end, entries: {} })),
    ).toMatchObject({
      issues: [{ path: 'entries', message: 'must be an array of 0 to 1000 entries' }],
    });
    expect(await shown(sessions, id)).toHaveLength(3);
  });

  test('may replace entries of a full history', async () => {
    const store = new MemorySessionStore();
    const { sessions } = openSessions({ store, limits: { historyEntries: 3 } });
    const { id, question } = await talk(sessions);
    expect(await errorOf(sessions.append(id, [user('x')]))).toMatchObject({ type: 'history_full' });
    const three = [user('a'), user('b'), user('c')];
    expect(await errorOf(rewindTo(sessions, id, question, three))).toMatchObject({
      type: 'history_full',
    });
    await okOf(rewindTo(sessions, id, question, three.slice(1)));
    expect(await shown(sessions, id)).toEqual(['question', 'b', 'c']);
  });

  test('is rejected without the lease that its fencing token names', async () => {
    const sessions = open();
    const { id, end: ifPosition } = await talk(sessions);
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker', seconds: 60 }));
    const late = { to: 0, ifPosition, fencingToken: fencingToken - 1 };
    expect(await errorOf(sessions.rewind(id, late))).toMatchObject({ type: 'lease_lost' });
    await okOf(sessions.rewind(id, { to: 0, ifPosition, fencingToken }));
    expect(await shown(sessions, id)).toEqual([]);
  });
});
