import type { UIMessage } from 'ai';
import { err, ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { loadMessages, saveMessages } from '../../../adapters/ai-sdk/index.js';
import { SessionService, type SessionStore, unwrap } from '../../../src/index.js';
import { storeUnavailable } from '../../../src/session/errors.js';
import type { UseChange } from '../../../src/store/commit.js';
import { serve } from '../../client/served.js';
import { afterEachRead } from '../../support/after-each-read.js';
import { describeStores } from '../../support/describe-stores.js';
import { ada, errorOf, okOf } from '../../support/sessions.js';
import { changed } from '../../support/store-doubles.js';
import { assistant, openedChat, textOf, user } from './opened-chat.js';

const four = [
  user('u-1', 'One?'),
  assistant('a-1', 'One.'),
  user('u-2', 'Two?'),
  assistant('a-2', 'Two.'),
];

const approval: UIMessage = {
  id: 'a-3',
  role: 'assistant',
  parts: [
    { type: 'step-start' },
    {
      type: 'dynamic-tool',
      toolName: 'delete',
      toolCallId: 'c-1',
      state: 'approval-requested',
      input: { path: '/tmp' },
      approval: { id: 'p-1' },
    },
  ],
};

const approved: UIMessage = {
  ...approval,
  parts: [
    { type: 'step-start' },
    {
      type: 'dynamic-tool',
      toolName: 'delete',
      toolCallId: 'c-1',
      state: 'approval-responded',
      input: { path: '/tmp' },
      approval: { id: 'p-1', approved: true },
    },
  ],
};

describeStores('saveMessages', (open) => {
  test('saves a message once if its request is repeated, and an answer once if its end is reported twice', async () => {
    const { sessions, id, load } = await openedChat(await open());
    for (const message of four) {
      const first = await unwrap(saveMessages(sessions, id, [message]));
      const again = await unwrap(saveMessages(sessions, id, [message]));
      expect(again).toEqual({ ...first, repeated: true });
    }
    // A late request, after its answer and later messages.
    await unwrap(saveMessages(sessions, id, four.slice(0, 1)));
    expect(await load()).toEqual(four);
  });

  test('supersedes the old answer when a message is answered again', async () => {
    const { sessions, id, texts } = await openedChat(await open());
    await unwrap(saveMessages(sessions, id, four));
    await unwrap(saveMessages(sessions, id, [user('u-2', 'Two?')], { regenerate: true }));
    expect(await texts()).toEqual(['One?', 'One.', 'Two?']);
    await unwrap(saveMessages(sessions, id, [user('u-2', 'Two?')], { regenerate: true }));
    expect(await texts()).toEqual(['One?', 'One.', 'Two?']);
    await unwrap(saveMessages(sessions, id, [assistant('a-3', 'Two!')]));
    expect(await texts()).toEqual(['One?', 'One.', 'Two?', 'Two!']);
    await unwrap(saveMessages(sessions, id, [user('u-1', 'One?')], { regenerate: true }));
    expect(await texts()).toEqual(['One?']);
  });

  test('replaces an edited message in place, and supersedes what followed', async () => {
    const { sessions, id, texts } = await openedChat(await open());
    await unwrap(saveMessages(sessions, id, four));
    await unwrap(saveMessages(sessions, id, [user('u-2', 'Three?')]));
    expect(await texts()).toEqual(['One?', 'One.', 'Three?']);
    await unwrap(saveMessages(sessions, id, [user('u-1', 'Four?')]));
    expect(await texts()).toEqual(['Four?']);
  });

  test('saves a message again that was superseded before', async () => {
    const { sessions, id, texts } = await openedChat(await open());
    for (const text of ['One?', 'Two?', 'One?', 'Two?', 'One?']) {
      await unwrap(saveMessages(sessions, id, [user('u-1', text)]));
      expect(await texts()).toEqual([text]);
    }
  });

  test('continues an answer in place after a tool was approved', async () => {
    const { sessions, id, load } = await openedChat(await open());
    await unwrap(saveMessages(sessions, id, [...four, user('u-3', 'Tidy up!')]));
    await unwrap(saveMessages(sessions, id, [approval]));
    await unwrap(saveMessages(sessions, id, [approved]));
    expect(await load()).toEqual([...four, user('u-3', 'Tidy up!'), approved]);
    const done: UIMessage = {
      ...approved,
      parts: [...approved.parts, { type: 'text', text: 'Done.' }],
    };
    await unwrap(saveMessages(sessions, id, [done]));
    await unwrap(saveMessages(sessions, id, [done]));
    expect(await load()).toEqual([...four, user('u-3', 'Tidy up!'), done]);
  });

  test('never replaces an answer with its beginning, and completes a partial answer', async () => {
    const { sessions, id, load } = await openedChat(await open());
    const answer = (...parts: readonly string[]): UIMessage => ({
      id: 'a-1',
      role: 'assistant',
      parts: [{ type: 'step-start' }, ...parts.map((text) => ({ type: 'text' as const, text }))],
    });
    const complete = answer('Once upon', 'a time.');
    const older = [answer('Once'), answer('Once upon'), answer('Once upon', 'a')];
    await unwrap(saveMessages(sessions, id, [user('u-1', 'A tale?'), answer('Once')]));
    await unwrap(saveMessages(sessions, id, [complete]));
    await unwrap(saveMessages(sessions, id, [user('u-2', 'Go on.')]));
    const before = await load();
    expect(before).toEqual([user('u-1', 'A tale?'), complete, user('u-2', 'Go on.')]);
    for (const each of older) {
      const late = await errorOf(saveMessages(sessions, id, [each]));
      expect(late.type).toBe('history_moved');
    }
    expect(await load()).toEqual(before);
    // An edit of an answer contains something new.
    await unwrap(saveMessages(sessions, id, [answer('Once more')]));
    // The question is answered anew under the same id.
    await unwrap(saveMessages(sessions, id, [user('u-1', 'A tale?')], { regenerate: true }));
    await unwrap(saveMessages(sessions, id, [answer('Once')]));
    // A user may shorten a question.
    await unwrap(saveMessages(sessions, id, [user('u-1', 'A')]));
    expect(await load()).toEqual([user('u-1', 'A')]);
  });

  test('accepts complete chats, as a page sends them by default', async () => {
    const { sessions, id, load } = await openedChat(await open());
    await unwrap(saveMessages(sessions, id, four.slice(0, 2)));
    await unwrap(saveMessages(sessions, id, four));
    expect(await load()).toEqual(four);
    const edited = [user('u-1', 'One, please?'), ...four.slice(1)];
    await unwrap(saveMessages(sessions, id, edited));
    expect(await load()).toEqual(edited);
    await unwrap(saveMessages(sessions, id, [user('u-4', 'x'), user('u-4', 'y')]));
    expect(await load()).toEqual([...edited, user('u-4', 'y')]);
  });

  test('saves the messages of two tabs exactly once each if they save concurrently', async () => {
    const { sessions, id, load } = await openedChat(await open());
    const tabs = Array.from({ length: 8 }, (_, index) => user(`u-${index}`, `From tab ${index}`));
    await Promise.all(
      [...tabs, ...tabs].map((message) => unwrap(saveMessages(sessions, id, [message]))),
    );
    const messages = await load();
    expect(messages.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(tabs);
  });

  test('fails with history_moved, and saves nothing, if the chat changed since it was loaded', async () => {
    const { sessions, id, load } = await openedChat(await open());
    await unwrap(saveMessages(sessions, id, four));
    const { position: ifPosition } = await unwrap(loadMessages(sessions, id));
    await unwrap(saveMessages(sessions, id, [user('u-3', 'Of another tab')]));
    const before = await load();
    const edited = [user('u-2', 'Three?')];
    expect(await errorOf(saveMessages(sessions, id, edited, { ifPosition }))).toMatchObject({
      type: 'history_moved',
    });
    const again = saveMessages(sessions, id, four.slice(2, 3), { regenerate: true, ifPosition });
    expect(await errorOf(again)).toMatchObject({ type: 'history_moved' });
    expect(await load()).toEqual(before);
    const late = saveMessages(sessions, id, [assistant('a-3', 'An answer')], { ifPosition });
    expect(await errorOf(late)).toMatchObject({ type: 'history_moved' });
    expect(await load()).toEqual(before);
  });

  test('supersedes the answer, if any, to a question that is answered again', async () => {
    const { sessions, id, load } = await openedChat(await open());
    for (const stored of [four.slice(0, 3), four]) {
      await unwrap(saveMessages(sessions, id, stored));
      const { position: ifPosition } = await unwrap(loadMessages(sessions, id));
      const again = await unwrap(
        saveMessages(sessions, id, [user('u-2', 'Two?')], { regenerate: true }),
      );
      const late = saveMessages(sessions, id, [assistant('a-4', 'Late.')], { ifPosition });
      expect(await errorOf(late)).toMatchObject({ type: 'history_moved' });
      const answer = { ifPosition: again.position };
      const first = await unwrap(saveMessages(sessions, id, [assistant('a-3', 'Two!')], answer));
      // Its end is reported twice.
      const told = await unwrap(saveMessages(sessions, id, [assistant('a-3', 'Two!')], answer));
      expect(told).toEqual({ ...first, repeated: true });
      expect(await load()).toEqual([...four.slice(0, 3), assistant('a-3', 'Two!')]);
    }
  });

  test('skips an answer without content, alone or in a complete chat', async () => {
    const { sessions, id, load } = await openedChat(await open());
    const begun: UIMessage = { id: 'a-4', role: 'assistant', parts: [{ type: 'step-start' }] };
    const failed: UIMessage = { id: 'a-5', role: 'assistant', parts: [] };
    await unwrap(saveMessages(sessions, id, [four[0] ?? failed]));
    for (const each of [begun, failed, assistant('a-6', '')])
      await unwrap(saveMessages(sessions, id, [each]));
    expect(await load()).toEqual(four.slice(0, 1));
    await unwrap(saveMessages(sessions, id, [...four, failed]));
    expect(await load()).toEqual(four);
  });

  test('never supersedes what another tab adds while an edit is saved', async () => {
    const { sessions, id, texts } = await openedChat(await open());
    await unwrap(saveMessages(sessions, id, four));
    const late = afterEachRead(sessions, () =>
      okOf(sessions.append(id, [{ role: 'user', content: 'Of another tab' }])),
    );
    const saved = await saveMessages(late, id, [user('u-1', 'Four?')]);
    expect(saved._unsafeUnwrapErr().type).toBe('history_moved');
    expect((await texts()).at(-1)).toBe('Of another tab');
  });

  test("saves a message once if two processes save it concurrently after another tab's message", async () => {
    const inner = await open();
    const { sessions, id, texts } = await openedChat(inner);
    await unwrap(saveMessages(sessions, id, four));
    const twice = user('u-3', 'Three?');
    const updates = [[user('u-4', 'From another tab'), twice]];
    const readThenWait = async (...args: Parameters<SessionStore['entries']>) => {
      const found = await inner.entries(...args);
      await unwrap(saveMessages(sessions, id, updates.shift() ?? []));
      return found;
    };
    const slow = changed(inner, {
      entries: (...args) => new ResultAsync(readThenWait(...args)),
    });
    await unwrap(saveMessages(new SessionService({ store: slow }), id, [twice]));
    expect(await texts()).toEqual(['One?', 'One.', 'Two?', 'Two.', 'From another tab', 'Three?']);
  });

  test('saves once if the reply of the store is lost', async () => {
    const inner = await open();
    let sent = 0;
    const appendAndLose = async (commit: UseChange) => {
      const answer = await inner.change(commit);
      sent += 1;
      return sent % 2 === 1 ? err(storeUnavailable('the answer was lost', 'unknown')) : answer;
    };
    const store = changed(inner, { use: (commit) => new ResultAsync(appendAndLose(commit)) });
    const { sessions, id, load } = await openedChat(store);
    await unwrap(saveMessages(sessions, id, four));
    await unwrap(saveMessages(sessions, id, [user('u-2', 'Three?')]));
    await unwrap(saveMessages(sessions, id, [user('u-2', 'Three?')], { regenerate: true }));
    expect(await load()).toEqual([...four.slice(0, 2), user('u-2', 'Three?')]);
  });

  test('reads pages from the end to the beginning, and finds a message there', async () => {
    const { sessions, id, texts } = await openedChat(await open());
    const many = Array.from({ length: 250 }, (_, index) => user(`u-${index}`, `${index}`));
    await unwrap(saveMessages(sessions, id, many));
    const pages: string[][] = [];
    for (
      let before: number | undefined, isFirst = true;
      isFirst || before !== undefined;
      isFirst = false
    ) {
      const page = await unwrap(loadMessages<UIMessage>(sessions, id, { last: 100, before }));
      pages.unshift(page.messages.map(textOf));
      before = page.before;
    }
    expect(pages.map(({ length }) => length)).toEqual([50, 100, 100]);
    expect(pages.flat()).toEqual(many.map(textOf));
    await unwrap(saveMessages(sessions, id, [user('u-3', 'edited')]));
    expect(await texts()).toEqual(['0', '1', '2', 'edited']);
  });

  test('creates a fork that ends with a message, which can then be edited', async () => {
    const { sessions, id, load } = await openedChat(await open());
    await unwrap(saveMessages(sessions, id, four));
    const { positions } = await unwrap(loadMessages(sessions, id));
    const { options, labels } = await okOf(sessions.get(id, { historyLimit: 0 }));
    const position = positions.get('u-2') ?? 0;
    const fork = await okOf(
      sessions.create({ ...options, labels, start: true, from: { id, position } }),
    );
    expect((await unwrap(loadMessages(sessions, fork.id))).messages).toEqual(four.slice(0, 3));
    await unwrap(saveMessages(sessions, fork.id, [user('u-2', 'Three?')]));
    expect((await unwrap(loadMessages(sessions, fork.id))).messages).toEqual([
      ...four.slice(0, 2),
      user('u-2', 'Three?'),
    ]);
    expect(await load()).toEqual(four);
  });

  test('saves nothing for a worker whose turn is over', async () => {
    const { sessions, id, load } = await openedChat(await open());
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'tab-1', seconds: 60 }));
    await unwrap(saveMessages(sessions, id, four.slice(0, 1), { fencingToken }));
    await okOf(sessions.release(id, { fencingToken }));
    const late = await saveMessages(sessions, id, four.slice(1, 2), { fencingToken });
    expect(late._unsafeUnwrapErr().type).toBe('lease_lost');
    expect(await load()).toEqual(four.slice(0, 1));
  });
});

describe('saveMessages', () => {
  test("returns the engine's error for a missing chat and for one that has ended", async () => {
    const { sessions, id } = await openedChat();
    expect((await errorOf(saveMessages(sessions, 'nobody', four))).type).toBe('not_found');
    expect((await errorOf(loadMessages(sessions, 'nobody'))).type).toBe('not_found');
    expect((await errorOf(loadMessages(sessions, id, { last: 0 }))).type).toBe('invalid_input');
    await okOf(sessions.terminate(id));
    expect((await errorOf(saveMessages(sessions, id, four))).type).toBe('invalid_transition');
  });

  test('accepts a client in place of the service', async () => {
    const { client } = await serve();
    const { id } = (await client.create({ ...ada, start: true }))._unsafeUnwrap();
    await unwrap(saveMessages(client, id, four));
    await unwrap(saveMessages(client, id, [user('u-2', 'Three?')]));
    const { messages } = await unwrap(loadMessages(client, id));
    expect(messages).toEqual([...four.slice(0, 2), user('u-2', 'Three?')]);
  });
});
