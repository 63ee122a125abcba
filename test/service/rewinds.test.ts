import { describe, expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionService, TenantChange } from '../../src/index.js';
import { describeDatabases, newDatabase } from '../support/databases.js';
import { call, createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

const shown = async (sessions: SessionService, id: string) =>
  (await okOf(sessions.get(id))).history.map(({ content }) => content);

/** A question, its answer and thanks, with the positions after each. */
const talk = async (sessions: SessionService) => {
  const id = await startedIn(sessions);
  const question = (await okOf(sessions.append(id, [user('question')], { ifPosition: 0 }))).position;
  const answer = (await okOf(sessions.append(id, [assistant('answer')]))).position;
  const end = (await okOf(sessions.append(id, [user('thanks')]))).position;
  return { id, question, answer, end };
};

const defineCases = (open: () => SessionService | Promise<SessionService>): void => {
  test('an answer is generated again: it follows the question, and the earlier one is gone', async () => {
    const sessions = await open();
    const { id, question } = await talk(sessions);
    for (const content of ['second answer', 'third answer']) {
      const { position } = await okOf(sessions.append(id, [assistant(content)], { after: question }));
      expect(await shown(sessions, id)).toEqual(['question', content]);
      const { entries } = await okOf(sessions.history(id, { last: 1 }));
      expect(entries).toMatchObject([{ content, position }]);
    }
    expect((await okOf(sessions.get(id))).historyCount).toBe(2);
    expect((await okOf(sessions.list())).sessions[0]).toMatchObject({ id, historyCount: 2 });
  });

  test('a message is edited: the new one follows what was before it', async () => {
    const sessions = await open();
    const { id, question, answer } = await talk(sessions);
    await okOf(sessions.append(id, [user('thank you'), assistant('welcome')], { after: answer }));
    expect(await shown(sessions, id)).toEqual(['question', 'answer', 'thank you', 'welcome']);
    await okOf(sessions.append(id, [user('another question')], { after: 0 }));
    expect(await shown(sessions, id)).toEqual(['another question']);
    expect(await errorOf(sessions.append(id, [assistant('late')], { after: question }))).toMatchObject({
      type: 'history_moved',
    });
  });

  test('the last entry is popped, and all are cleared, and both have a new position', async () => {
    const sessions = await open();
    const { id, answer, end } = await talk(sessions);
    const popped = await okOf(sessions.append(id, [], { after: answer }));
    expect(await shown(sessions, id)).toEqual(['question', 'answer']);
    const cleared = await okOf(sessions.append(id, [], { after: 0 }));
    expect([end < popped.position, popped.position < cleared.position]).toEqual([true, true]);
    expect(await okOf(sessions.get(id))).toMatchObject({ history: [], historyCount: 0 });
    expect(await okOf(sessions.history(id))).toEqual({
      entries: [],
      start: 0,
      position: cleared.position,
      hasMore: false,
    });
  });

  test('a summary that loses the race with a new message is history_moved, and nothing is lost', async () => {
    const sessions = await open();
    const { id, end } = await talk(sessions);
    const news = await okOf(sessions.append(id, [user('one more thing')]));
    const summary = [assistant('they have talked')];
    expect(await errorOf(sessions.append(id, summary, { after: 0, ifPosition: end }))).toMatchObject({
      type: 'history_moved',
      position: news.position,
    });
    expect(await shown(sessions, id)).toEqual(['question', 'answer', 'thanks', 'one more thing']);
    await okOf(sessions.append(id, summary, { after: 0, ifPosition: news.position }));
    expect(await shown(sessions, id)).toEqual(['they have talked']);
  });

  test('a repeated operationId changes nothing; the same one for another place is operation_mismatch', async () => {
    const sessions = await open();
    const { id, question } = await talk(sessions);
    const edit = { after: question, operationId: 'edit' };
    const first = await okOf(sessions.append(id, [assistant('again')], edit));
    await okOf(sessions.append(id, [user('good')]));
    expect(await okOf(sessions.append(id, [assistant('again')], edit))).toEqual({ ...first, repeated: true });
    for (const options of [{ operationId: 'edit' }, { ...edit, after: 0 }, { ...edit, after: question + 1 }]) {
      expect(await errorOf(sessions.append(id, [assistant('again')], options))).toMatchObject({
        type: 'operation_mismatch',
      });
    }
    expect(await shown(sessions, id)).toEqual(['question', 'again', 'good']);
    const clear = { after: 0, operationId: 'clear' };
    const cleared = await okOf(sessions.append(id, [], clear));
    await okOf(sessions.append(id, [user('new')]));
    expect(await okOf(sessions.append(id, [], clear))).toEqual({ ...cleared, repeated: true });
    expect(await shown(sessions, id)).toEqual(['new']);
  });

  test('a position that is not in the history is invalid_input, one that is superseded is history_moved', async () => {
    const sessions = await open();
    const { id, question, answer, end } = await talk(sessions);
    const { position } = await okOf(sessions.append(id, [assistant('again')], { after: question }));
    for (const after of [answer, end]) {
      expect(await errorOf(sessions.append(id, [user('x')], { after }))).toMatchObject({
        type: 'history_moved',
        position,
      });
    }
    expect(await errorOf(sessions.append(id, [user('x')], { after: position + 1_000_000 }))).toMatchObject({
      type: 'invalid_input',
      message: 'after is not a position in this history',
    });
    expect(await shown(sessions, id)).toEqual(['question', 'again']);
  });

  test('cursors from before a rewind go on with what is current', async () => {
    const sessions = await open();
    const { id, question, answer, end } = await talk(sessions);
    await okOf(sessions.append(id, [assistant('again'), user('good'), user('bye')], { after: question }));
    const contents = async (query: Parameters<SessionService['history']>[1]) => {
      const part = await okOf(sessions.history(id, query));
      return [...part.entries.map(({ content }) => content), ...(part.hasMore ? ['…'] : [])];
    };
    expect(await contents({ after: question })).toEqual(['again', 'good', 'bye']);
    expect(await contents({ after: answer })).toEqual(['again', 'good', 'bye']);
    expect(await contents({ after: end, limit: 2 })).toEqual(['again', 'good', '…']);
    expect(await contents({ before: end })).toEqual(['question', '…']);
    expect(await contents({ before: question })).toEqual(['question', '…']);
  });

  test('the latest entries of a rewound session are those that are current', async () => {
    const sessions = await open();
    const { id, question } = await talk(sessions);
    await okOf(sessions.append(id, [assistant('a'), user('b'), assistant('c')], { after: question }));
    for (const [historyLimit, expected] of [
      [0, []],
      [2, ['b', 'c']],
      [4, ['question', 'a', 'b', 'c']],
      [100, ['question', 'a', 'b', 'c']],
    ] as const) {
      const session = await okOf(sessions.get(id, { historyLimit }));
      expect([session.history.map(({ content }) => content), session.historyCount]).toEqual([expected, 4]);
    }
  });

  test('who watches the tenant sees one event of a rewind, which says what the entries follow', async () => {
    const sessions = await open();
    const { id, question } = await talk(sessions);
    const watch = sessions.watchAll()[Symbol.asyncIterator]();
    onTestFinished(async () => void (await watch.return?.()));
    const { position } = await okOf(sessions.append(id, [assistant('again')], { after: question }));
    const cleared = await okOf(sessions.append(id, [], { after: 0 }));
    await okOf(sessions.append(id, [user('new')]));
    const next = async (): Promise<TenantChange> => {
      const item = (await watch.next()).value._unsafeUnwrap();
      const isOwn = item.type === 'session.appended' && item.historyPosition >= position;
      return isOwn ? item : next();
    };
    const common = { type: 'session.appended', sessionId: id };
    expect(await next()).toMatchObject({ ...common, historyPosition: position, after: question });
    expect(await next()).toMatchObject({ ...common, historyPosition: cleared.position, after: 0 });
    expect(await next()).not.toHaveProperty('after');
  });

  test('a session that takes no entries takes no rewind', async () => {
    const sessions = await open();
    const idle = await createdIn(sessions);
    expect(await errorOf(sessions.append(idle, [], { after: 0 }))).toMatchObject({ type: 'invalid_transition' });
    const { id } = await talk(sessions);
    await okOf(sessions.terminate(id));
    expect(await errorOf(sessions.append(id, [], { after: 0 }))).toMatchObject({ type: 'invalid_transition' });
    expect(await shown(sessions, id)).toEqual(['question', 'answer', 'thanks']);
  });
};

describe('a rewind, in memory', () => {
  const open = () => openSessions({ store: new MemorySessionStore({ events: true }) }).sessions;
  defineCases(open);

  test('is invalid_input with a position of a wrong type, and changes nothing', async () => {
    const sessions = open();
    const { id } = await talk(sessions);
    for (const after of ['5', -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, {}, true, null, 2 ** 53]) {
      expect(await errorOf(call(sessions, 'append', id, [user('x')], { after }))).toMatchObject({
        type: 'invalid_input',
        issues: [{ path: 'after', message: expect.stringContaining('whole number') }],
      });
    }
    expect(await shown(sessions, id)).toHaveLength(3);
  });

  test('needs its position to have no entries', async () => {
    const sessions = open();
    const { id, end } = await talk(sessions);
    for (const options of [{}, { after: undefined }, { ifPosition: end }]) {
      expect(await errorOf(call(sessions, 'append', id, [], options))).toMatchObject({
        type: 'invalid_input',
        issues: [{ path: 'entries', message: 'must be an array of 1 to 1000 entries' }],
      });
    }
    expect(await errorOf(call(sessions, 'append', id, undefined, { after: 0 }))).toMatchObject({
      issues: [{ path: 'entries', message: 'must be an array of 0 to 1000 entries' }],
    });
  });

  test('of a history that is full makes room', async () => {
    const store = new MemorySessionStore();
    const { sessions } = openSessions({ store, limits: { historyEntries: 3 } });
    const { id, question } = await talk(sessions);
    expect(await errorOf(sessions.append(id, [user('x')]))).toMatchObject({ type: 'history_full' });
    const three = [user('a'), user('b'), user('c')];
    expect(await errorOf(sessions.append(id, three, { after: question }))).toMatchObject({ type: 'history_full' });
    await okOf(sessions.append(id, three.slice(1), { after: question }));
    expect(await shown(sessions, id)).toEqual(['question', 'b', 'c']);
  });

  test('is refused without the lease that its fencing token names', async () => {
    const sessions = open();
    const { id } = await talk(sessions);
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker', seconds: 60 }));
    const late = { after: 0, fencingToken: fencingToken - 1 };
    expect(await errorOf(sessions.append(id, [], late))).toMatchObject({ type: 'lease_lost' });
    await okOf(sessions.append(id, [], { after: 0, fencingToken }));
    expect(await shown(sessions, id)).toEqual([]);
  });
});

describeDatabases('a rewind', (kind) => {
  defineCases(async () => openSessions({ store: (await newDatabase(kind)).open() }).sessions);
});
