import type { UIMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import { saveMessages } from '../../../adapters/ai-sdk/index.js';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { SessionService, type SessionStore, unwrap } from '../../../src/index.js';
import { afterEachRead } from '../../support/after-each-read.js';
import { ada, errorOf, okOf } from '../../support/sessions.js';
import { changed } from '../../support/store-doubles.js';
import { assistant, openedChat, user } from './opened-chat.js';

/** Counts what a save costs. */
const counted = (inner: SessionStore) => {
  const calls = { reads: 0, appends: 0 };
  const store = changed(inner, {
    use: (commit) => {
      calls.appends += 1;
      return inner.change(commit);
    },
    entries: (...args) => {
      calls.reads += 1;
      return inner.entries(...args);
    },
  });
  return { calls, store };
};

const messagesFrom = (first: number, count: number): readonly UIMessage[] =>
  Array.from({ length: count }, (_, index) => user(`u-${first + index}`, `${first + index}`));

const four = [
  user('u-1', 'One?'),
  assistant('a-1', 'One.'),
  user('u-2', 'Two?'),
  assistant('a-2', 'Two.'),
];

describe('the message search of saveMessages', () => {
  test('costs one read and one append per message, and one read if there is nothing to save', async () => {
    const { calls, store } = counted(new MemorySessionStore());
    const { sessions, id } = await openedChat(store);
    for (const [index, message] of four.entries()) {
      await unwrap(saveMessages(sessions, id, [message]));
      expect(calls).toEqual({ reads: index + 1, appends: index + 1 });
    }
    await unwrap(saveMessages(sessions, id, [user('u-2', 'Two?')]));
    expect(calls).toEqual({ reads: 5, appends: 4 });
  });

  test('finds and replaces an edited message however far back it is', async () => {
    const { sessions, id } = await openedChat();
    for (let from = 0; from < 2500; from += 500)
      await unwrap(saveMessages(sessions, id, messagesFrom(from, 500)));
    await unwrap(saveMessages(sessions, id, [user('u-new', 'new')]));
    expect((await okOf(sessions.get(id))).historyCount).toBe(2501);
    await unwrap(saveMessages(sessions, id, [user('u-10', 'edited')]));
    expect((await okOf(sessions.get(id))).historyCount).toBe(11);
  });

  test('rejects a message that may be further back than it searches, and saves nothing', async () => {
    const { calls, store } = counted(new MemorySessionStore());
    const { sessions, id } = await openedChat(store);
    await unwrap(saveMessages(sessions, id, messagesFrom(0, 250)));
    for (const messages of [
      [user('u-10', 'edited')],
      [user('u-10', 'edited'), ...messagesFrom(11, 239)],
    ]) {
      calls.reads = 0;
      expect(await errorOf(saveMessages(sessions, id, messages, { search: 100 }))).toMatchObject({
        type: 'invalid_input',
        message:
          'messages[0].id is not among the latest 100 messages, and the chat has more: search further, with `search`',
      });
      expect(calls.reads).toBe(1);
    }
    expect((await okOf(sessions.get(id))).historyCount).toBe(250);
    await unwrap(saveMessages(sessions, id, [user('u-10', 'edited')], { search: 250 }));
    expect((await okOf(sessions.get(id))).historyCount).toBe(11);
  });

  test('looks in a shorter session that replaces the first while it is read', async () => {
    const { sessions, id } = await openedChat();
    await unwrap(saveMessages(sessions, id, messagesFrom(0, 250)));
    const replacements = [
      async () => {
        await okOf(sessions.delete(id));
        await okOf(sessions.create({ ...ada, id, start: true }));
      },
    ];
    const slow = afterEachRead(sessions, async () => replacements.pop()?.());
    expect(await unwrap(saveMessages(slow, id, [user('u-new', 'new')]))).toEqual({ position: 1 });
  });

  test('saves nothing for an empty list of messages', async () => {
    const { sessions, id } = await openedChat();
    await unwrap(saveMessages(sessions, id, messagesFrom(0, 3)));
    expect(await unwrap(saveMessages(sessions, id, [], { search: 1 }))).toEqual({
      position: 3,
      repeated: true,
    });
  });

  test('reads a history in parts when it is too large for one read', async () => {
    const sessions = new SessionService({
      store: new MemorySessionStore(),
      limits: { pageBytes: 1000 },
    });
    const { id } = await okOf(sessions.create({ ...ada, start: true }));
    const many = Array.from({ length: 20 }, (_, index) =>
      user(`u-${index}`, `${index}${'x'.repeat(200)}`),
    );
    await unwrap(saveMessages(sessions, id, many));
    await unwrap(saveMessages(sessions, id, [user('u-1', 'edited')]));
    expect((await okOf(sessions.get(id))).historyCount).toBe(2);
  });
});
