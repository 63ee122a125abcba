import { describe, expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionService, TenantChange } from '../../src/index.js';
import { describeDatabases, newDatabase } from '../support/databases.js';
import { rewindTo } from '../support/rewind-to.js';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

const shown = async (sessions: SessionService, id: string) =>
  (await okOf(sessions.get(id))).history.map(({ content }) => content);

/** A conversation of three entries, with the position after each. */
const talk = async (sessions: SessionService) => {
  const id = await startedIn(sessions);
  const question = (await okOf(sessions.append(id, [user('question')], { ifPosition: 0 })))
    .position;
  const answer = (await okOf(sessions.append(id, [assistant('answer')]))).position;
  const end = (await okOf(sessions.append(id, [user('thanks')]))).position;
  return { id, question, answer, end };
};

const defineCases = (open: () => SessionService | Promise<SessionService>): void => {
  test('a regenerated answer follows the question, and supersedes the earlier answer', async () => {
    const sessions = await open();
    const { id, question } = await talk(sessions);
    for (const content of ['second answer', 'third answer']) {
      const { position } = await okOf(rewindTo(sessions, id, question, [assistant(content)]));
      expect(await shown(sessions, id)).toEqual(['question', content]);
      const { entries } = await okOf(sessions.history(id, { last: 1 }));
      expect(entries).toMatchObject([{ content, position }]);
    }
    expect((await okOf(sessions.get(id))).historyCount).toBe(2);
    expect((await okOf(sessions.list())).sessions[0]).toMatchObject({ id, historyCount: 2 });
  });

  test('an edited message follows the entries before it', async () => {
    const sessions = await open();
    const { id, question, answer } = await talk(sessions);
    await okOf(rewindTo(sessions, id, answer, [user('thank you'), assistant('welcome')]));
    expect(await shown(sessions, id)).toEqual(['question', 'answer', 'thank you', 'welcome']);
    await okOf(rewindTo(sessions, id, 0, [user('another question')]));
    expect(await shown(sessions, id)).toEqual(['another question']);
    expect(await errorOf(rewindTo(sessions, id, question, [assistant('late')]))).toMatchObject({
      type: 'invalid_input',
    });
  });

  test('popping the last entry and clearing all return a new position', async () => {
    const sessions = await open();
    const { id, answer, end } = await talk(sessions);
    const popped = await okOf(rewindTo(sessions, id, answer));
    expect(await shown(sessions, id)).toEqual(['question', 'answer']);
    const cleared = await okOf(rewindTo(sessions, id, 0));
    expect([end < popped.position, popped.position < cleared.position]).toEqual([true, true]);
    expect(await okOf(sessions.get(id))).toMatchObject({ history: [], historyCount: 0 });
    expect(await okOf(sessions.history(id))).toEqual({
      entries: [],
      start: 0,
      position: cleared.position,
      hasMore: false,
      limit: 100,
    });
  });

  test('a summary that races with a new message fails with history_moved, and nothing is lost', async () => {
    const sessions = await open();
    const { id, end } = await talk(sessions);
    const news = await okOf(sessions.append(id, [user('one more thing')]));
    const summary = [assistant('they have talked')];
    expect(
      await errorOf(sessions.rewind(id, { to: 0, entries: summary, ifPosition: end })),
    ).toMatchObject({
      type: 'history_moved',
      position: news.position,
    });
    expect(await shown(sessions, id)).toEqual(['question', 'answer', 'thanks', 'one more thing']);
    await okOf(sessions.rewind(id, { to: 0, entries: summary, ifPosition: news.position }));
    expect(await shown(sessions, id)).toEqual(['they have talked']);
  });

  test('an append between a read and a rewind by another caller is never lost', async () => {
    const sessions = await open();
    const { id, answer } = await talk(sessions);
    const { position: ifPosition } = await okOf(sessions.history(id, { last: 1 }));
    const rewind = () =>
      sessions.rewind(id, { to: answer, entries: [user('thank you')], ifPosition });
    const [appended, rewound] = await Promise.all([
      sessions.append(id, [user('one more thing')]),
      rewind(),
    ]);
    expect(appended.isOk()).toBe(true);
    expect(await shown(sessions, id)).toContain('one more thing');
    if (rewound.isErr()) expect(rewound.error.type).toBe('history_moved');
    await okOf(sessions.append(id, [user('and another')]));
    expect(await errorOf(rewind())).toMatchObject({ type: 'history_moved' });
    expect(await shown(sessions, id)).toEqual(
      expect.arrayContaining(['one more thing', 'and another']),
    );
  });

  test('of two rewinds after the same read, one succeeds and the other fails with history_moved', async () => {
    const sessions = await open();
    const { id, question, end } = await talk(sessions);
    const rewinds = ['first', 'second'].map((content) =>
      sessions.rewind(id, { to: question, entries: [assistant(content)], ifPosition: end }),
    );
    const results = await Promise.all(rewinds);
    expect(results.filter((result) => result.isOk())).toHaveLength(1);
    expect(results.find((result) => result.isErr())?._unsafeUnwrapErr().type).toBe('history_moved');
    expect((await shown(sessions, id))[0]).toBe('question');
    expect((await okOf(sessions.get(id))).historyCount).toBe(2);
  });

  test('a rewind with a repeated operationId changes nothing, even if the history has moved since', async () => {
    const sessions = await open();
    const { id, question, end } = await talk(sessions);
    const edit = {
      to: question,
      entries: [assistant('again')],
      ifPosition: end,
      operationId: 'edit',
    };
    const first = await okOf(sessions.rewind(id, edit));
    await okOf(sessions.append(id, [user('good')]));
    expect(await okOf(sessions.rewind(id, edit))).toEqual({ ...first, repeated: true });
    expect(await shown(sessions, id)).toEqual(['question', 'again', 'good']);
    const { position: ifPosition } = await okOf(sessions.history(id));
    const clear = { to: 0, ifPosition, operationId: 'clear' };
    const cleared = await okOf(sessions.rewind(id, clear));
    await okOf(sessions.append(id, [user('new')]));
    expect(await okOf(sessions.rewind(id, clear))).toEqual({ ...cleared, repeated: true });
    expect(await shown(sessions, id)).toEqual(['new']);
  });

  test('a rewind with a repeated operationId changes nothing, even if the session or its lease has ended', async () => {
    const sessions = await open();
    const { id, question, end } = await talk(sessions);
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'one', seconds: 10 }));
    const edit = { to: question, ifPosition: end, operationId: 'edit', fencingToken, wake: true };
    const first = await okOf(sessions.rewind(id, edit));
    await okOf(sessions.release(id, { fencingToken }));
    expect(await okOf(sessions.rewind(id, edit))).toEqual({ ...first, repeated: true });
    await okOf(sessions.terminate(id));
    expect(await okOf(sessions.rewind(id, edit))).toEqual({ ...first, repeated: true });
    const other = { ...edit, entries: [assistant('other')] };
    expect((await sessions.rewind(id, other))._unsafeUnwrapErr().type).toBe('operation_mismatch');
    const fresh = { ...edit, operationId: 'fresh' };
    expect((await sessions.rewind(id, fresh))._unsafeUnwrapErr().type).toBe('invalid_transition');
  });

  test('a rewind with a repeated operationId changes nothing, even if it superseded its own message', async () => {
    const sessions = await open();
    const { id } = await talk(sessions);
    await okOf(sessions.send(id, { id: 'm-1', content: 'Anyone?' }));
    await okOf(sessions.reply(id, { id: 'm-2', content: 'Hello?' }, () => 'Yes.'));
    const { position: ifPosition } = await okOf(sessions.history(id));
    const edit = { before: 'm-1', ifPosition, operationId: 'edit' };
    const first = await okOf(sessions.rewind(id, edit));
    expect(await okOf(sessions.rewind(id, edit))).toEqual({ ...first, repeated: true });
  });

  test('a rewind with the operationId of another rewind or of an append fails with operation_mismatch', async () => {
    const sessions = await open();
    const { id, question, end } = await talk(sessions);
    const entries = [assistant('again')];
    const edit = { to: question, entries, ifPosition: end, operationId: 'edit' };
    const { position } = await okOf(sessions.rewind(id, edit));
    const others = [
      { ...edit, to: 0 },
      { ...edit, entries: [user('again')] },
      { ...edit, entries: [] },
    ];
    for (const other of others) {
      expect(await errorOf(sessions.rewind(id, other))).toMatchObject({
        type: 'operation_mismatch',
      });
    }
    const appended = sessions.append(id, entries, { operationId: 'edit' });
    expect(await errorOf(appended)).toMatchObject({ type: 'operation_mismatch' });
    await okOf(sessions.append(id, [user('good')], { operationId: 'turn', ifPosition: position }));
    const rewound = sessions.rewind(id, { ...edit, entries: [user('good')], operationId: 'turn' });
    expect(await errorOf(rewound)).toMatchObject({ type: 'operation_mismatch' });
    expect(await shown(sessions, id)).toEqual(['question', 'again', 'good']);
  });

  test('a rewind to a position outside of the current history fails with invalid_input, and changes nothing', async () => {
    const sessions = await open();
    const { id, question, answer, end } = await talk(sessions);
    const { position } = await okOf(rewindTo(sessions, id, question, [assistant('again')]));
    for (const to of [answer, end, position + 1_000_000]) {
      expect(await errorOf(rewindTo(sessions, id, to, [user('x')]))).toMatchObject({
        type: 'invalid_input',
        message: 'to is not a position in this history',
      });
    }
    expect(await shown(sessions, id)).toEqual(['question', 'again']);
  });

  test('cursors from before a rewind continue with the current entries', async () => {
    const sessions = await open();
    const { id, question, answer, end } = await talk(sessions);
    await okOf(rewindTo(sessions, id, question, [assistant('again'), user('good'), user('bye')]));
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

  test('the latest entries of a rewound session are the current ones', async () => {
    const sessions = await open();
    const { id, question } = await talk(sessions);
    await okOf(rewindTo(sessions, id, question, [assistant('a'), user('b'), assistant('c')]));
    for (const [historyLimit, expected] of [
      [0, []],
      [2, ['b', 'c']],
      [4, ['question', 'a', 'b', 'c']],
      [100, ['question', 'a', 'b', 'c']],
    ] as const) {
      const session = await okOf(sessions.get(id, { historyLimit }));
      expect([session.history.map(({ content }) => content), session.historyCount]).toEqual([
        expected,
        4,
      ]);
    }
  });

  test('a tenant watch yields one event per rewind, with the position that the entries follow', async () => {
    const sessions = await open();
    const { id, question } = await talk(sessions);
    const watch = sessions.watchAll()[Symbol.asyncIterator]();
    onTestFinished(async () => void (await watch.return?.()));
    const { position } = await okOf(rewindTo(sessions, id, question, [assistant('again')]));
    const cleared = await okOf(rewindTo(sessions, id, 0));
    await okOf(sessions.append(id, [user('new')]));
    const next = async (): Promise<TenantChange> => {
      const item = (await watch.next()).value._unsafeUnwrap();
      const isOwn = item.type === 'session.appended' && item.historyPosition >= position;
      return isOwn ? item : next();
    };
    const common = { type: 'session.appended', sessionId: id };
    expect(await next()).toMatchObject({
      ...common,
      historyPosition: position,
      rewoundTo: question,
    });
    expect(await next()).toMatchObject({
      ...common,
      historyPosition: cleared.position,
      rewoundTo: 0,
    });
    expect(await next()).not.toHaveProperty('rewoundTo');
  });

  test('a session that accepts no entries accepts no rewind', async () => {
    const sessions = await open();
    const idle = await createdIn(sessions);
    expect(await errorOf(rewindTo(sessions, idle, 0))).toMatchObject({
      type: 'invalid_transition',
    });
    const { id } = await talk(sessions);
    await okOf(sessions.terminate(id));
    expect(await errorOf(rewindTo(sessions, id, 0))).toMatchObject({ type: 'invalid_transition' });
    expect(await shown(sessions, id)).toEqual(['question', 'answer', 'thanks']);
  });
};

describe('rewinds in memory', () => {
  defineCases(() => openSessions({ store: new MemorySessionStore({ events: true }) }).sessions);
});

describeDatabases('rewinds', (kind) => {
  defineCases(async () => openSessions({ store: (await newDatabase(kind)).open() }).sessions);
});
