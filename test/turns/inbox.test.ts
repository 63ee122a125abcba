import { describe, expect, test } from 'vitest';
import {
  ada,
  call,
  createdIn,
  errorOf,
  okOf,
  openSessions,
  startedIn,
} from '../support/sessions.js';

const worker = { holder: 'worker', seconds: 30 };

const open = async (options: Parameters<typeof openSessions>[0] = {}) => {
  const bench = openSessions(options);
  const id = await startedIn(bench.sessions);
  const waiting = async () => (await okOf(bench.sessions.inbox(id))).map(({ content }) => content);
  const claim = async () => {
    const [claimed] = (await okOf(bench.sessions.claim(worker))).claimed;
    if (claimed === undefined) throw new Error('no session waits');
    return claimed;
  };
  return { ...bench, id, waiting, claim };
};

describe('an inbox', () => {
  test('contains waiting messages, oldest first, which are not in the history', async () => {
    const { sessions, id } = await open();
    expect(await okOf(sessions.inbox(id))).toEqual([]);
    await okOf(sessions.send(id, { id: 'b', content: 'one', data: { at: 1 } }));
    await okOf(sessions.send(id, { id: 'a', content: 'two', role: 'operator' }));
    const timestamp = '2026-01-31T12:00:00.000Z';
    expect(await okOf(sessions.inbox(id))).toEqual([
      { id: 'b', role: 'user', content: 'one', timestamp, data: { at: 1 } },
      { id: 'a', role: 'operator', content: 'two', timestamp },
    ]);
    expect(await okOf(sessions.get(id))).toMatchObject({ inbox: 2, history: [] });
  });

  test('moves to the history in the order of sending, with the number of the turn', async () => {
    const { sessions, id, claim, waiting } = await open();
    for (const content of ['one', 'two', 'three']) await okOf(sessions.send(id, content));
    const claimed = await claim();
    expect(claimed.messages.map(({ content }) => content)).toEqual(['one', 'two', 'three']);
    expect(await waiting()).toEqual([]);
    const { entries } = await okOf(sessions.history(id));
    expect(entries.map(({ content, turn, message }) => [content, turn, message])).toEqual(
      ['one', 'two', 'three'].map((content) => [content, 1, true]),
    );
  });

  test('keeps the messages beyond the limit of a turn for the next one', async () => {
    const { sessions, id, waiting } = await open();
    for (const content of ['one', 'two']) await okOf(sessions.send(id, content));
    const [first] = (await okOf(sessions.claim({ ...worker, messages: 1 }))).claimed;
    expect([first?.messages.length, await waiting()]).toEqual([1, ['two']]);
    const { fencingToken = 0 } = first?.lease ?? {};
    await okOf(sessions.release(id, { fencingToken, done: true, entries: 'Yes.' }));
    const [second] = (await okOf(sessions.claim({ ...worker, messages: 1 }))).claimed;
    expect([second?.turn, second?.messages.map(({ content }) => content)]).toEqual([2, ['two']]);
  });

  test('accepts no more messages than its limit, until one is taken or withdrawn', async () => {
    const { sessions, id } = await open({ limits: { inboxMessages: 2 } });
    await okOf(sessions.send(id, { id: 'a', content: 'one' }));
    await okOf(sessions.send(id, 'two'));
    expect(await errorOf(sessions.send(id, 'three'))).toMatchObject({
      type: 'inbox_full',
      limit: 2,
    });
    expect(await okOf(sessions.send(id, { id: 'a', content: 'one' }))).toMatchObject({
      repeated: true,
    });
    await okOf(sessions.withdraw(id, ['a']));
    await okOf(sessions.send(id, 'three'));
  });

  test.each(['m', 'x'.repeat(256), 'wamid.HBgL+a/b==', '<a@b>/c d', '😀'])(
    'accepts the id %j, and remembers it forever',
    async (name) => {
      const { sessions, id, claim } = await open();
      const message = { id: name, content: 'one' };
      expect(await okOf(sessions.send(id, message))).toEqual({ id: name, state: 'waiting' });
      expect(await okOf(sessions.send(id, message))).toMatchObject({
        state: 'waiting',
        repeated: true,
      });
      const other = await errorOf(sessions.send(id, { id: name, content: 'two' }));
      expect(other).toMatchObject({ type: 'operation_mismatch' });
      const { lease } = await claim();
      expect(await okOf(sessions.send(id, message))).toMatchObject({ state: 'taken' });
      const { fencingToken } = lease;
      await okOf(sessions.release(id, { fencingToken, done: true }));
      expect(await okOf(sessions.send(id, message))).toMatchObject({ state: 'answered' });
      expect((await okOf(sessions.get(id))).historyCount).toBe(1);
    },
  );

  test.each(['', 'x'.repeat(257), 'a\nb', 5, {}])('rejects the id %j', async (name) => {
    const { sessions, id } = await open();
    expect(await errorOf(call(sessions, 'send', id, { id: name, content: 'x' }))).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: 'id' }],
    });
  });

  test.each([null, [], { creat: true }, { create: false }, { create: 'yes' }])(
    'rejects the options %j of a message',
    async (options) => {
      const { sessions } = await open();
      const error = await errorOf(call(sessions, 'send', 'new', 'hello', options));
      expect(error).toMatchObject({ type: 'invalid_input' });
      expect(await errorOf(sessions.get('new'))).toMatchObject({ type: 'not_found' });
    },
  );

  test('requires an existing session, unless create is given', async () => {
    const { sessions } = await open();
    for (const refused of [
      sessions.send('new', 'x'),
      sessions.inbox('new'),
      sessions.withdraw('new'),
    ])
      expect(await errorOf(refused)).toMatchObject({ type: 'not_found', id: 'new' });
    await okOf(sessions.send('new', 'hello', { create: { ...ada, labels: { user: 'u-1' } } }));
    expect(await okOf(sessions.get('new'))).toMatchObject({
      status: 'ACTIVE',
      inbox: 1,
      labels: { user: 'u-1' },
    });
  });

  test('rejects messages while the session is IDLE and after its end, and keeps them while PAUSED', async () => {
    const { sessions, id, waiting } = await open();
    const refusal = { type: 'invalid_transition', command: 'send' };
    const idle = await createdIn(sessions);
    expect(await errorOf(sessions.send(idle, 'x'))).toMatchObject(refusal);
    await okOf(sessions.pause(id));
    await okOf(sessions.send(id, { id: 'm', content: 'hello' }));
    expect((await okOf(sessions.claim(worker))).claimed).toEqual([]);
    await okOf(sessions.terminate(id));
    expect(await errorOf(sessions.send(id, 'x'))).toMatchObject(refusal);
    expect(await okOf(sessions.send(id, { id: 'm', content: 'hello' }))).toMatchObject({
      repeated: true,
    });
    expect(await waiting()).toEqual(['hello']);
  });

  test('is not copied by a fork, and is deleted with its session', async () => {
    const { sessions, id } = await open();
    await okOf(sessions.send(id, { id: 'm', content: 'hello' }));
    const fork = await okOf(sessions.create({ ...ada, from: { id }, start: true }));
    expect(await okOf(sessions.inbox(fork.id))).toEqual([]);
    await okOf(sessions.delete(id));
    expect(await errorOf(sessions.inbox(id))).toMatchObject({ type: 'not_found' });
  });
});

describe('a withdrawn message', () => {
  test('is in no turn, and stays withdrawn', async () => {
    const { sessions, id, claim } = await open();
    const message = { id: 'a', content: 'one' };
    await okOf(sessions.send(id, message));
    await okOf(sessions.send(id, { id: 'b', content: 'two' }));
    const { withdrawn, taken } = await okOf(sessions.withdraw(id, ['a', 'unknown']));
    expect([withdrawn.map(({ content }) => content), taken]).toEqual([['one'], []]);
    expect(await okOf(sessions.send(id, message))).toMatchObject({
      state: 'withdrawn',
      repeated: true,
    });
    expect(await errorOf(sessions.answer(id, 'a'))).toMatchObject({ type: 'withdrawn' });
    expect((await claim()).messages.map(({ content }) => content)).toEqual(['two']);
  });

  test('lets the session wait for no worker, if it was the only one', async () => {
    const { sessions, id } = await open();
    await okOf(sessions.send(id, 'one'));
    await okOf(sessions.withdraw(id));
    expect(await okOf(sessions.get(id))).toMatchObject({ inbox: 0 });
    expect((await okOf(sessions.get(id))).work).toBeUndefined();
    expect((await okOf(sessions.claim(worker))).claimed).toEqual([]);
  });

  test('differs from messages that a turn has taken before', async () => {
    const { sessions, id, claim } = await open();
    await okOf(sessions.send(id, { id: 'a', content: 'one' }));
    await claim();
    await okOf(sessions.send(id, { id: 'b', content: 'two' }));
    const { withdrawn, taken } = await okOf(sessions.withdraw(id, ['a', 'b']));
    expect([withdrawn.map((each) => each.id), taken]).toEqual([['b'], ['a']]);
  });
});
