import type { UIMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { chatRoute } from '../../examples/ai-sdk/chat-route.js';
import { ChatStore } from '../../examples/ai-sdk/chat-store.js';
import { scriptedModel } from '../../examples/ai-sdk/scripted-model.js';
import { SessionService } from '../../src/index.js';
import { PATIENT_MS } from '../support/patience.js';
import { okOf } from '../support/sessions.js';

const said = (id: string, text: string, role = 'user') => ({ id, role, parts: [{ type: 'text', text }] });

const open = async (...answers: readonly string[]) => {
  const sessions = new SessionService({ store: new MemorySessionStore() });
  const chats = new ChatStore(sessions);
  const errors: unknown[] = [];
  const post = chatRoute(chats, scriptedModel(answers), (error) => errors.push(error));
  const chatId = await okOf(chats.create());
  const send = (body: object) =>
    post(new Request('http://localhost/api/chat', { method: 'POST', body: JSON.stringify({ id: chatId, ...body }) }));
  const texts = async () => {
    const messages: readonly UIMessage[] = (await chats.load(chatId))._unsafeUnwrap();
    return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
  };
  return { send, texts, errors, sessions, chatId };
};

describe('the route of the ai-sdk example', () => {
  test('keeps a message once that is sent again, and does not answer it twice', async () => {
    const { send, texts, errors } = await open('Hello!', 'Hello again!');
    await (await send({ message: said('u-1', 'Hi') })).text();
    expect((await send({ message: said('u-1', 'Hi') })).status).toBe(409);
    expect(await texts()).toEqual(['Hi', 'Hello!']);
    expect(errors).toEqual([]);
  });

  test('forgets what followed a message that is edited or answered anew', async () => {
    const { send, texts } = await open('One', 'Two', 'Three', 'Four');
    await (await send({ message: said('u-1', 'first') })).text();
    await (await send({ message: said('u-2', 'second') })).text();
    expect(await texts()).toEqual(['first', 'One', 'second', 'Two']);
    await (await send({ message: said('u-1', 'first, edited') })).text();
    expect(await texts()).toEqual(['first, edited', 'Three']);
    await (await send({ message: said('u-1', 'first, edited'), trigger: 'regenerate-message' })).text();
    expect(await texts()).toEqual(['first, edited', 'Four']);
  });

  test('keeps the whole answer when the user has closed the page', async () => {
    const { send, texts } = await open('A long answer of many words');
    const response = await send({ message: said('u-1', 'Hi') });
    await response.body?.cancel();
    await expect.poll(texts, { timeout: PATIENT_MS }).toEqual(['Hi', 'A long answer of many words']);
    await expect
      .poll(async () => (await send({ message: said('u-2', 'More?') })).status, { timeout: PATIENT_MS })
      .toBe(200);
  });

  test('refuses what is no message of the user, and a chat that is not there or has ended', async () => {
    const { send, texts, sessions, chatId } = await open();
    expect((await send({ message: said('a-1', 'I am the model', 'assistant') })).status).toBe(400);
    expect((await send({ message: { id: 'u-1', role: 'user', parts: [{ type: 5 }] } })).status).toBe(400);
    expect((await send({})).status).toBe(400);
    expect((await send({ id: 'nobody', message: said('u-1', 'Hi') })).status).toBe(404);
    expect(await texts()).toEqual([]);
    await okOf(sessions.terminate(chatId));
    expect((await send({ message: said('u-1', 'Hi') })).status).toBe(409);
  });
});
