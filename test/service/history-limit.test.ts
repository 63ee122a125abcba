import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { ada, createdIn, okOf, openSessions, startedIn } from '../support/sessions.js';
import { TextSessionStore } from '../support/store-doubles.js';

describe.for([
  ['in memory', () => new MemorySessionStore()],
  ['after a network', () => new TextSessionStore()],
] as const)('historyLimit, on a store %s', ([, makeStore]) => {
  /** Three sessions with 0, 1 and 5 entries, the latest first in a list. */
  const open = async () => {
    const opened = openSessions({ store: makeStore() });
    const { sessions, clock } = opened;
    for (const count of [5, 1, 0]) {
      const id = await startedIn(sessions);
      const entries = Array.from({ length: count }, (_, at) => ({
        role: 'user',
        content: `${id}-${at}`,
      }));
      if (count > 0) await okOf(sessions.append(id, entries));
      clock.pass(1);
    }
    return opened;
  };

  const all = [[], ['s2-0'], ['s1-0', 's1-1', 's1-2', 's1-3', 's1-4']];

  test.for([0, 1, 2, 5, 6, undefined])(
    'returns that many of the latest entries: %j',
    async (historyLimit) => {
      const { sessions } = await open();
      const most = historyLimit ?? 100;
      const expected = all.map((contents) => contents.slice(Math.max(0, contents.length - most)));
      const query = historyLimit === undefined ? {} : { historyLimit };
      const page = await okOf(sessions.list(query));
      expect(page.sessions.map(({ history }) => history.map(({ content }) => content))).toEqual(
        expected,
      );
      expect(page.sessions.map(({ historyCount }) => historyCount)).toEqual([0, 1, 5]);
      const walked: string[][] = [];
      for await (const session of sessions.each({ ...query, limit: 2 })) {
        const { history } = session._unsafeUnwrap();
        walked.push(history.map(({ content }) => content));
      }
      expect(walked).toEqual(expected);
      for (const session of page.sessions)
        expect(await okOf(sessions.get(session.id, query))).toEqual(session);
    },
  );

  test('changes nothing else of a session', async () => {
    const { sessions } = await open();
    const whole = await okOf(sessions.get('s1'));
    expect(await okOf(sessions.get('s1', { historyLimit: 0 }))).toEqual({ ...whole, history: [] });
  });

  test('applies to a repeated create too', async () => {
    const { sessions } = openSessions({ store: makeStore() });
    const { id } = await okOf(sessions.create({ ...ada, idempotencyKey: 'k' }));
    await okOf(sessions.start(id));
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    const again = await okOf(sessions.create({ ...ada, idempotencyKey: 'k', historyLimit: 0 }));
    expect(again).toMatchObject({ id, status: 'ACTIVE', history: [], historyCount: 1 });
    expect((await okOf(sessions.create({ ...ada, idempotencyKey: 'k' }))).history).toHaveLength(1);
  });

  test('keeps counting while entries are appended', async () => {
    const { sessions } = openSessions({ store: makeStore() });
    const id = await createdIn(sessions);
    expect((await okOf(sessions.get(id))).historyCount).toBe(0);
    await okOf(sessions.start(id));
    for (let at = 1; at <= 3; at += 1) {
      await okOf(
        sessions.append(
          id,
          [
            { role: 'user', content: 'a' },
            { role: 'user', content: 'b' },
          ],
          { operationId: 'o' },
        ),
      );
      await okOf(sessions.append(id, [{ role: 'user', content: 'c' }]));
      expect((await okOf(sessions.get(id, { historyLimit: 1 }))).historyCount).toBe(2 + at);
    }
  });
});
