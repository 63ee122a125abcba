import { getRequestListener } from '@hono/node-server';
import type { UIMessage } from 'ai';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadMessages, saveMessages } from '../../adapters/ai-sdk/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { chatApp } from '../../examples/chat/chat-app.js';
import { chatRoute } from '../../examples/chat/chat-route.js';
import { scriptedModel } from '../../examples/chat/scripted-model.js';
import { SessionService, unwrap } from '../../src/index.js';
import { listening } from '../http/serve.js';
import { describeWithChromium } from '../support/describe-with-chromium.js';
import { PATIENT_MS } from '../support/patience.js';
import { ada, okOf } from '../support/sessions.js';

const said = (id: string, text: string, role: UIMessage['role'] = 'user'): UIMessage => ({
  id,
  role,
  parts: [{ type: 'text', text }],
});

/** A chat whose model gives these answers, each when the test lets it. */
const open = async (answers: readonly string[], mayAnswer: () => Promise<void> = async () => undefined) => {
  const sessions = new SessionService({ store: new MemorySessionStore() });
  const model = scriptedModel(answers, null);
  const { doStream } = model;
  model.doStream = async (options) => {
    await mayAnswer();
    return doStream(options);
  };
  const { id } = await okOf(sessions.create({ ...ada, start: true }));
  const texts = async () => {
    const { messages } = await unwrap(loadMessages<UIMessage>(sessions, id));
    return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
  };
  return { sessions, model, id, texts };
};

const routed = async (...answers: readonly string[]) => {
  const chat = await open(answers);
  const post = chatRoute(chat.sessions, chat.model);
  const send = (message: unknown, trigger = 'submit-message', id = chat.id, signal: AbortSignal | null = null) => {
    const body = JSON.stringify({ id, message, trigger });
    return post(new Request('http://localhost/api/chat', { method: 'POST', body, signal }));
  };
  return { ...chat, send };
};

describe('the route of the chat example', () => {
  test('keeps a message once that is sent again, and does not answer it twice', async () => {
    const { send, texts } = await routed('Hello!', 'Hello again!');
    await (await send(said('u-1', 'Hi'))).text();
    expect((await send(said('u-1', 'Hi'))).status).toBe(409);
    expect(await texts()).toEqual(['Hi', 'Hello!']);
  });

  test('keeps the whole answer if the host does not say that the user has closed the page', async () => {
    const { send, texts } = await routed('A long answer of many words');
    const response = await send(said('u-1', 'Hi'));
    await response.body?.cancel();
    await expect.poll(texts, { timeout: PATIENT_MS }).toEqual(['Hi', 'A long answer of many words']);
    const nextStatus = async () => (await send(said('u-2', 'More?'))).status;
    await expect.poll(nextStatus, { timeout: PATIENT_MS }).toBe(200);
  });

  test('answers the next message as soon as the user has stopped an answer, however long the model would go on', async () => {
    const { send, texts, model, id } = await routed('Very well.');
    const { doStream } = model;
    model.doStream = async () => ({ stream: new ReadableStream() });
    const user = new AbortController();
    const response = await send(said('u-1', 'Hi'), 'submit-message', id, user.signal);
    expect((await send(said('u-2', 'Hello?'))).status).toBe(409);
    model.doStream = doStream;
    user.abort();
    await response.text();
    const next = async () => (await send(said('u-2', 'Hello?'))).text();
    await expect.poll(next, { timeout: PATIENT_MS }).toContain('well.');
    await expect.poll(texts, { timeout: PATIENT_MS }).toEqual(['Hi', 'Hello?', 'Very well.']);
  });

  test('keeps the message when the model fails, and answers it when it is asked again', async () => {
    const { send, texts, model } = await routed('Hello!');
    const { doStream } = model;
    vi.spyOn(console, 'error').mockReturnValue();
    model.doStream = async () => Promise.reject(new Error('the model is down'));
    await (await send(said('u-1', 'Hi'))).text();
    expect(await texts()).toEqual(['Hi']);
    model.doStream = doStream;
    await (await send(said('u-1', 'Hi'))).text();
    expect(await texts()).toEqual(['Hi', 'Hello!']);
  });

  test('refuses what is no message of the user, and a chat that is not there or has ended', async () => {
    const { send, texts, sessions, id } = await routed('Hello!');
    expect((await send(said('a-1', 'I am the model', 'assistant'))).status).toBe(400);
    expect((await send({ id: 'u-1', role: 'user', parts: [{ type: 5 }] })).status).toBe(400);
    expect((await send(undefined)).status).toBe(400);
    expect((await send(said('u-1', 'x'.repeat(2 ** 20)))).status).toBe(400);
    expect((await send(said('u-1', 'Hi'), 'submit-message', 'nobody')).status).toBe(404);
    expect(await texts()).toEqual([]);
    await okOf(sessions.terminate(id));
    expect((await send(said('u-1', 'Hi'))).status).toBe(409);
  });
});

describeWithChromium('the page of the chat example', (running) => {
  const opened = async (browser: Browser, answers: readonly string[], mayAnswer?: () => Promise<void>) => {
    const chat = await open(answers, mayAnswer);
    const { fetch } = await chatApp(chat.sessions, chat.model);
    const server = await listening(getRequestListener(fetch));
    onTestFinished(() => server.close());
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    context.setDefaultTimeout(PATIENT_MS);
    const tab = async (): Promise<Page> => {
      const page = await context.newPage();
      await page.goto(`${server.origin}/chats/${chat.id}`);
      await page.getByRole('button', { name: 'Send' }).waitFor();
      return page;
    };
    return { ...chat, tab, origin: server.origin };
  };

  /** What a page shows of the chat. */
  const shown = async (page: Page): Promise<string[]> =>
    (await page.getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s*Edit$/, '').trim());

  const showing = (page: Page) => expect.poll(() => shown(page), { timeout: PATIENT_MS });

  const send = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };

  test('shows after a reload what was said, answers anew, and edits', async () => {
    const { tab, texts } = await opened(running.browser, ['Hello!', 'Fine.', 'Very well.', 'Good bye.']);
    const page = await tab();
    await send(page, 'Hi');
    await showing(page).toEqual(['Hi', 'Hello!']);
    await expect.poll(texts, { timeout: PATIENT_MS }).toEqual(['Hi', 'Hello!']);
    await page.reload();
    await showing(page).toEqual(['Hi', 'Hello!']);
    await send(page, 'How are you?');
    await showing(page).toEqual(['Hi', 'Hello!', 'How are you?', 'Fine.']);
    await expect.poll(texts, { timeout: PATIENT_MS }).toHaveLength(4);
    await page.getByRole('button', { name: 'Again' }).click();
    await showing(page).toEqual(['Hi', 'Hello!', 'How are you?', 'Very well.']);
    await expect.poll(texts, { timeout: PATIENT_MS }).toEqual(['Hi', 'Hello!', 'How are you?', 'Very well.']);
    page.once('dialog', (dialog) => dialog.accept('Bye'));
    await page.getByRole('button', { name: 'Edit' }).first().click();
    await showing(page).toEqual(['Bye', 'Good bye.']);
    await expect.poll(texts, { timeout: PATIENT_MS }).toEqual(['Bye', 'Good bye.']);
    await page.reload();
    await showing(page).toEqual(['Bye', 'Good bye.']);
  });

  test('pages back to the beginning', async () => {
    const { tab, sessions, id } = await opened(running.browser, []);
    const many = Array.from({ length: 50 }, (_, index) => said(`u-${index}`, `number ${index}`));
    await unwrap(saveMessages(sessions, id, many));
    const page = await tab();
    const all = many.map((_, index) => `number ${index}`);
    await showing(page).toEqual(all.slice(-20));
    const earlier = page.getByRole('button', { name: 'Earlier' });
    await earlier.click();
    await showing(page).toEqual(all.slice(-40));
    await earlier.click();
    await showing(page).toEqual(all);
    expect(await earlier.count()).toBe(0);
  });

  test('answers one of two tabs, and the other when it asks again: nothing is lost', async () => {
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { tab, texts } = await opened(running.browser, ['To one.', 'To the other.'], () => asked);
    const [one, other] = [await tab(), await tab()];
    await send(one, 'From one tab');
    await expect.poll(texts, { timeout: PATIENT_MS }).toEqual(['From one tab']);
    await send(other, 'From the other');
    await other.getByRole('alert').getByText('leased').waitFor();
    answer();
    await showing(one).toEqual(['From one tab', 'To one.']);
    await expect.poll(texts, { timeout: PATIENT_MS }).toHaveLength(2);
    await other.getByRole('button', { name: 'Again' }).click();
    await showing(other).toEqual(['From the other', 'To the other.']);
    await expect.poll(texts, { timeout: PATIENT_MS }).toHaveLength(4);
    await one.reload();
    await showing(one).toEqual(['From one tab', 'To one.', 'From the other', 'To the other.']);
  });

  test('begins with a chat of its own', async () => {
    const { origin } = await opened(running.browser, []);
    const page = await running.browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(origin);
    expect(new URL(page.url()).pathname).toMatch(/^\/chats\/./);
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });
});
