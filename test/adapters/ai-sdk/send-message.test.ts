import type { UIMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import {
  entriesOf,
  loadMessages,
  messagesOf,
  saveMessages,
  sendMessage,
} from '../../../adapters/ai-sdk/index.js';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { type Run, SessionService, unwrap } from '../../../src/index.js';
import { ada, errorOf, okOf } from '../../support/sessions.js';
import { assistant, openedChat, textOf, user } from './opened-chat.js';

/** A chat that `answers` to the next message, in one turn. */
const opened = async () => {
  const chat = await openedChat();
  const { sessions, id } = chat;
  const turn = async (run: Run) => {
    const claim = { holder: 'one', seconds: 10 };
    const { claimed } = await okOf(sessions.claim(claim));
    for (const { session, lease, messages } of claimed) {
      const { history } = await okOf(sessions.get(session.id));
      const said = await run(Object({ messages, history }));
      const entries = said === undefined ? [] : Object(said);
      const { fencingToken } = lease;
      await okOf(sessions.release(id, { fencingToken, done: true, entries }));
    }
    return claimed.length;
  };
  const answer = (name: string, text: string) =>
    turn(() => entriesOf([assistant(name, text)])._unsafeUnwrap());
  const waiting = async () => (await okOf(sessions.inbox(id))).map(({ content }) => content);
  const send = (message: UIMessage, regenerate = false) =>
    unwrap(sendMessage(sessions, id, message, { regenerate }));
  return { ...chat, turn, answer, waiting, send };
};

describe('sendMessage', () => {
  test('sends a message to the inbox once, and a turn reads it as it was sent', async () => {
    const { send, waiting, load, turn } = await opened();
    const picture = { type: 'file', mediaType: 'image/png', url: 'https://x/y' } as const;
    const message: UIMessage = {
      ...user('u-1', 'Look'),
      parts: [{ type: 'text', text: 'Look' }, picture],
    };
    expect(await send(message)).toEqual({ id: 'u-1' });
    expect(await send(message)).toEqual({ id: 'u-1', repeated: true });
    expect(await waiting()).toEqual(['Look']);
    let read: readonly UIMessage[] = [];
    await turn(({ history }) => {
      read = messagesOf<UIMessage>(history);
      return undefined;
    });
    expect(read).toEqual([message]);
    expect(await send(message)).toEqual({ id: 'u-1', repeated: true });
    expect(await load()).toEqual([message]);
  });

  test('replaces a waiting message that is edited', async () => {
    const { send, waiting, load, answer } = await opened();
    await send(user('u-1', 'Why?'));
    const { id } = await send(user('u-1', 'How?'));
    expect(await waiting()).toEqual(['How?']);
    expect(await send(user('u-1', 'How?'))).toEqual({ id, repeated: true });
    await answer('a-1', 'So.');
    expect((await load()).map((message) => [message.id, textOf(message)])).toEqual([
      ['u-1', 'How?'],
      ['a-1', 'So.'],
    ]);
  });

  test('supersedes the answer to a message that is edited, and answers the new text', async () => {
    const { send, texts, load, answer } = await opened();
    await send(user('u-1', 'Why?'));
    await answer('a-1', 'Because.');
    const { id } = await send(user('u-1', 'How?'));
    expect(await answer('a-2', 'So.')).toBe(1);
    expect(await texts()).toEqual(['How?', 'So.']);
    expect((await load())[0]?.id).toBe('u-1');
    expect(await send(user('u-1', 'How?'))).toEqual({ id, repeated: true });
    // Sends the first text again, under its id that is already used.
    await send(user('u-1', 'Why?'));
    await answer('a-3', 'Because.');
    expect(await texts()).toEqual(['Why?', 'Because.']);
  });

  test('answers a message again with regenerate, and sends a withdrawn message again', async () => {
    const { send, texts, answer, sessions, id } = await opened();
    await send(user('u-1', 'Why?'));
    await answer('a-1', 'Because.');
    expect(await answer('none', 'none')).toBe(0);
    await send(user('u-1', 'Why?'), true);
    expect(await texts()).toEqual(['Why?']);
    expect(await answer('a-2', 'Therefore.')).toBe(1);
    await send(user('u-2', 'And?'));
    await okOf(sessions.withdraw(id));
    await send(user('u-2', 'And?'));
    expect(await answer('none', 'none')).toBe(0);
    await send(user('u-2', 'And?'), true);
    await answer('a-3', 'So.');
    expect(await texts()).toEqual(['Why?', 'Therefore.', 'And?', 'So.']);
  });

  test("stores an approval in the assistant's message, and wakes the chat", async () => {
    const { send, load, answer, turn } = await opened();
    const call = { type: 'tool-pay', toolCallId: 'c-1', input: {} } as const;
    const asked: UIMessage = {
      ...{ id: 'a-1', role: 'assistant' },
      parts: [{ ...call, state: 'approval-requested', approval: { id: 'p-1' } }],
    };
    await send(user('u-1', 'Pay'));
    await turn(() => entriesOf([asked])._unsafeUnwrap());
    const approved: UIMessage = {
      ...asked,
      parts: [{ ...call, state: 'approval-responded', approval: { id: 'p-1', approved: true } }],
    };
    await send(approved);
    expect(await send(approved)).toEqual({ id: 'a-1', repeated: true });
    expect(await load()).toEqual([user('u-1', 'Pay'), approved]);
    expect(await answer('a-2', 'Paid.')).toBe(1);
  });

  test('creates a missing chat only with create, and names invalid input', async () => {
    const sessions = new SessionService({ store: new MemorySessionStore() });
    const message = user('u-1', 'Hi');
    expect(await errorOf(sendMessage(sessions, 'chat', message))).toMatchObject({
      type: 'not_found',
    });
    expect(await okOf(sendMessage(sessions, 'chat', message, { create: ada }))).toEqual({
      id: 'u-1',
    });
    const broken = { ...message, parts: [{ type: 'text' }] };
    expect(await errorOf(sendMessage(sessions, 'chat', broken))).toMatchObject({
      issues: [{ path: 'message.parts[0].text' }],
    });
    const large = user('u-2', 'x'.repeat(2 ** 19));
    expect(await errorOf(sendMessage(sessions, 'chat', large))).toMatchObject({
      issues: [{ path: 'message.parts' }],
    });
  });
});

test('entriesOf skips an answer without content', async () => {
  const { sessions, id } = await openedChat();
  const empty: UIMessage = { id: 'a-1', role: 'assistant', parts: [{ type: 'step-start' }] };
  const entries = entriesOf([empty, assistant('a-2', 'Hi')])._unsafeUnwrap();
  await okOf(sessions.append(id, entries));
  const { messages } = await okOf(loadMessages<UIMessage>(sessions, id));
  expect(messages.map(({ id: name }) => name)).toEqual(['a-2']);
  expect(await okOf(saveMessages(sessions, id, [assistant('a-2', 'Hi')]))).toMatchObject({
    repeated: true,
  });
});
