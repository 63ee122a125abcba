import { getRequestListener } from '@hono/node-server';
import type { UIMessage } from 'ai';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadMessages, saveMessages } from '../../adapters/ai-sdk/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { Answers } from '../../examples/chat/answers.js';
import { chatApp } from '../../examples/chat/chat-app.js';
import { chatRoute, resumeRoute, stopRoute } from '../../examples/chat/chat-route.js';
import { chatWorker } from '../../examples/chat/chat-worker.js';
import { scriptedModel } from '../../examples/chat/scripted-model.js';
import { SessionService, unwrap } from '../../src/index.js';
import { spokenModel } from '../adapters/ai-sdk/spoken-model.js';
import { listening } from '../http/serve.js';
import { describeWithChromium } from '../support/describe-with-chromium.js';
import { PATIENT_MS } from '../support/patience.js';
import { ada, okOf } from '../support/sessions.js';

const said = (id: string, text: string, role: UIMessage['role'] = 'user'): UIMessage => ({
  id,
  role,
  parts: [{ type: 'text', text }],
});

/** A chat whose model gives these answers. */
const open = async (script: readonly string[]) => {
  const sessions = new SessionService({ store: new MemorySessionStore({ events: true }) });
  const model = scriptedModel(script, null);
  const answers = new Answers();
  const worker = chatWorker(sessions, model, answers);
  worker.start();
  onTestFinished(() => worker.stop());
  const { id } = await okOf(sessions.create({ ...ada, start: true }));
  const texts = async () => {
    const { messages } = await unwrap(loadMessages<UIMessage>(sessions, id));
    return messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    );
  };
  const storing = () => expect.poll(texts);
  return { sessions, model, answers, worker, id, texts, storing };
};

/** The routes of a chat, as a page calls them. */
const routesOf = <C extends Awaited<ReturnType<typeof open>>>(chat: C) => {
  const post = chatRoute(chat.sessions, chat.answers);
  const send = (message: unknown, trigger = 'submit-message', id = chat.id) => {
    const body = JSON.stringify({ id, message, trigger });
    return post(new Request('http://localhost/api/chat', { method: 'POST', body }));
  };
  const stop = () => stopRoute(chat.sessions)(chat.id);
  const resume = () => resumeRoute(chat.answers)(chat.id);
  return { ...chat, send, stop, resume };
};

const routed = async (...script: readonly string[]) => routesOf(await open(script));

/** A chat whose answers the test speaks. */
const spoken = async () => {
  const chat = routesOf(await open([]));
  const { model, answer } = spokenModel();
  chat.model.doStream = model.doStream;
  return { ...chat, answer };
};

describe('the route of the chat example', () => {
  test('stores and answers a message once that is sent again', async () => {
    const { send, texts, storing } = await routed('Hello!', 'Hello again!');
    await (await send(said('u-1', 'Hi'))).text();
    await storing().toEqual(['Hi', 'Hello!']);
    expect((await send(said('u-1', 'Hi'))).status).toBe(409);
    expect(await texts()).toEqual(['Hi', 'Hello!']);
  });

  test('stores the complete answer if the user closes the page', async () => {
    const { send, texts, model } = await routed('A long answer of many words');
    const response = await send(said('u-1', 'Hi'));
    await response.body?.cancel();
    await expect.poll(texts).toEqual(['Hi', 'A long answer of many words']);
    expect(model.doStreamCalls).toHaveLength(1);
    const nextStatus = async () => (await send(said('u-2', 'More?'))).status;
    await expect.poll(nextStatus).toBe(200);
  });

  test('stores the streamed part of a stopped answer, and answers the next message', async () => {
    const { send, stop, storing, answer } = await spoken();
    const response = await send(said('u-1', 'Why?'));
    const half = await answer(0);
    half.say('Half an ');
    expect((await stop()).status).toBe(204);
    expect(await response.text()).toContain('Half an ');
    await storing().toEqual(['Why?', 'Half an ']);
    const next = await send(said('u-2', 'Go on.'));
    const rest = await answer(1);
    rest.say('answer.');
    rest.end();
    await next.text();
    await storing().toEqual(['Why?', 'Half an ', 'Go on.', 'answer.']);
  });

  test('withdraws a message that is stopped before a worker took it, and answers it when it is sent again', async () => {
    const { send, stop, texts, storing, worker } = await routed('Hello!');
    await worker.stop();
    const response = await send(said('u-1', 'Hi'));
    expect((await stop()).status).toBe(204);
    expect(await response.text()).not.toContain('Hello!');
    worker.start();
    expect(await texts()).toEqual([]);
    await (await send(said('u-1', 'Hi'), 'regenerate-message')).text();
    await storing().toEqual(['Hi', 'Hello!']);
  });

  test("answers a second tab's message after the answer in progress", async () => {
    const { send, storing, answer } = await spoken();
    const one = await send(said('u-1', 'From one tab'));
    const first = await answer(0);
    const other = await send(said('u-2', 'From the other'));
    first.say('First.');
    first.end();
    expect(await one.text()).toContain('First.');
    const second = await answer(1);
    second.say('Second.');
    second.end();
    expect(await other.text()).not.toContain('First.');
    await storing().toEqual(['From one tab', 'First.', 'From the other', 'Second.']);
  });

  test('sends one answer to all pages whose messages it covers', async () => {
    const { send, texts, storing, answer, worker } = await spoken();
    await worker.stop();
    const first = await send(said('u-1', 'One?'));
    const others = await Promise.all([send(said('u-2', 'Two?')), send(said('u-3', 'Three?'))]);
    const sent = [first, ...others];
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200]);
    worker.start();
    const all = await answer(0);
    all.say('To all.');
    all.end();
    for (const each of sent) expect(await each.text()).toContain('To all.');
    await storing().toHaveLength(4);
    for (const [id, text] of [
      ['u-1', 'One?'],
      ['u-2', 'Two?'],
      ['u-3', 'Three?'],
    ] as const)
      expect((await send(said(id, text))).status).toBe(409);
    expect((await texts()).at(-1)).toBe('To all.');
  });

  test('keeps streaming an answer to one page if another sends the answered message again', async () => {
    const { send, answer, resume, storing } = await spoken();
    const first = await send(said('u-1', 'One?'));
    const one = await answer(0);
    one.say('One.');
    one.end();
    await first.text();
    await storing().toEqual(['One?', 'One.']);
    expect((await send(said('u-1', 'One?'))).status).toBe(409);
    expect((await resume()).status).toBe(204);
    const second = await send(said('u-2', 'Two?'));
    const two = await answer(1);
    expect((await send(said('u-1', 'One?'))).status).toBe(409);
    two.say('Two.');
    two.end();
    expect(await second.text()).toContain('Two.');
  });

  test('streams a running answer from its beginning to a page that is opened during it', async () => {
    const { send, resume, answer } = await spoken();
    expect((await resume()).status).toBe(204);
    const first = await send(said('u-1', 'Why?'));
    const given = await answer(0);
    given.say('Be');
    const opened = await resume();
    const again = await send(said('u-1', 'Why?'));
    given.say('cause.');
    given.end();
    const texts = await Promise.all([first, opened, again].map((each) => each.text()));
    for (const text of texts) expect(text).toBe(texts[0]);
    expect(texts[0]).toMatch(/"Be".*"cause\."/s);
    expect((await resume()).status).toBe(204);
  });

  test('keeps the message if the model fails, and answers it in the next attempt', async () => {
    const { send, texts, model } = await routed('Hello!');
    const { doStream } = model;
    const reported = vi.spyOn(console, 'error').mockReturnValue();
    model.doStream = async () => Promise.reject(new Error('the model is down'));
    await (await send(said('u-1', 'Hi'))).text();
    expect(await texts()).toEqual(['Hi']);
    model.doStream = doStream;
    await expect.poll(texts).toEqual(['Hi', 'Hello!']);
    expect(reported).toHaveBeenCalledWith(
      expect.objectContaining({ type: 'work_failed', attempt: 1 }),
    );
  });

  test('rejects what is not a user message, and a missing or ended chat', async () => {
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
  const opened = async (browser: Browser, script: readonly string[]) => {
    const chat = await open(script);
    const { fetch } = await chatApp(chat.sessions, chat.answers);
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
    (await page.getByRole('listitem').allInnerTexts()).map((text) =>
      text.replace(/\s*Edit$/, '').trim(),
    );

  const showing = (page: Page) => expect.poll(() => shown(page));

  const send = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };

  test('shows earlier messages after a reload, regenerates, and edits', async () => {
    const { tab, texts } = await opened(running.browser, [
      'Hello!',
      'Fine.',
      'Very well.',
      'Good bye.',
    ]);
    const page = await tab();
    await send(page, 'Hi');
    await showing(page).toEqual(['Hi', 'Hello!']);
    await expect.poll(texts).toEqual(['Hi', 'Hello!']);
    await page.reload();
    await showing(page).toEqual(['Hi', 'Hello!']);
    await send(page, 'How are you?');
    await showing(page).toEqual(['Hi', 'Hello!', 'How are you?', 'Fine.']);
    await expect.poll(texts).toHaveLength(4);
    await page.getByRole('button', { name: 'Again' }).click();
    await showing(page).toEqual(['Hi', 'Hello!', 'How are you?', 'Very well.']);
    await expect.poll(texts).toEqual(['Hi', 'Hello!', 'How are you?', 'Very well.']);
    page.once('dialog', (dialog) => dialog.accept('Bye'));
    await page.getByRole('button', { name: 'Edit' }).first().click();
    await showing(page).toEqual(['Bye', 'Good bye.']);
    await expect.poll(texts).toEqual(['Bye', 'Good bye.']);
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

  test('shows an answer in a tab that is opened during it, and stopping there stops it for both', async () => {
    const { tab, texts, model } = await opened(running.browser, []);
    const { model: spokenBy, answer } = spokenModel();
    model.doStream = spokenBy.doStream;
    const one = await tab();
    await send(one, 'Why?');
    (await answer(0)).say('Half an ');
    await showing(one).toEqual(['Why?', 'Half an']);
    const other = await tab();
    await showing(other).toEqual(['Why?', 'Half an']);
    await other.getByRole('button', { name: 'Stop' }).click();
    for (const page of [one, other])
      await page.getByRole('button', { name: 'Stop', disabled: true }).waitFor();
    expect(await texts()).toEqual(['Why?', 'Half an ']);
    await send(one, 'Go on.');
    const rest = await answer(1);
    rest.say('answer.');
    rest.end();
    await showing(one).toEqual(['Why?', 'Half an', 'Go on.', 'answer.']);
  });

  test('begins with a new chat', async () => {
    const { origin } = await opened(running.browser, []);
    const page = await running.browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(origin);
    expect(new URL(page.url()).pathname).toMatch(/^\/chats\/./);
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });
});
