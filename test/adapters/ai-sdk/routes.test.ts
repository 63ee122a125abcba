import { Chat } from '@ai-sdk/react';
import { getRequestListener } from '@hono/node-server';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadMessages } from '../../../adapters/ai-sdk/index.js';
import { unwrap } from '../../../src/index.js';
import { listening } from '../../http/serve.js';
import { SampleFolder } from '../../readme/run-sample.js';
import { ada, okOf } from '../../support/sessions.js';
import { textOf, user } from './opened-chat.js';
import { type Post, type Route, routesIn, useModel } from './routes.js';
import { spokenModel } from './spoken-model.js';

const folder = new SampleFolder();
afterAll(() => folder.remove());
const routes = routesIn(folder);

/** A host that does not report closed connections to the route, so the model runs on. */
const deaf =
  (post: Post): Post =>
  async (request) =>
    post(new Request(request.url, { method: 'POST', body: await request.text() }));

const said: unknown[] = [];
beforeEach(() => {
  said.length = 0;
  vi.spyOn(console, 'error').mockImplementation((what: unknown) => said.push(what));
  return () => vi.unstubAllGlobals();
});

/** A page of a chat on a route that is mounted on a server. */
const opened = async (routeOf: () => Promise<Route>, mount: (post: Post) => Post) => {
  const { sessions, post } = await routeOf();
  const { model, answer } = spokenModel();
  useModel(model);
  const server = await listening(getRequestListener(mount(post)));
  onTestFinished(() => server.close());
  const { id } = await okOf(sessions.create({ ...ada, start: true }));
  const bodyOf = (message: UIMessage | undefined, trigger: string) => ({ id, message, trigger });
  const transport = new DefaultChatTransport<UIMessage>({
    api: server.origin,
    prepareSendMessagesRequest: ({ messages, trigger }) => ({
      body: bodyOf(messages.at(-1), trigger),
    }),
  });
  const page = new Chat<UIMessage>({ id, transport });
  const resend = (message: UIMessage) =>
    fetch(server.origin, {
      method: 'POST',
      body: JSON.stringify(bodyOf(message, 'submit-message')),
    });
  const stored = async () =>
    (await unwrap(loadMessages<UIMessage>(sessions, id))).messages.map(textOf);
  const storing = () => expect.poll(stored);
  const showing = () => expect.poll(() => page.messages.map(textOf));
  const send = (text: string, messageId?: string): void => {
    void page.sendMessage(messageId === undefined ? { text } : { text, messageId });
  };
  /** Asks, gets half an answer, and stops it. */
  const askAndStop = async () => {
    send('Why?');
    const half = await answer(0);
    half.say('Half an ');
    await showing().toEqual(['Why?', 'Half an ']);
    await page.stop();
    return half;
  };
  return { page, model, answer, resend, stored, storing, showing, send, askAndStop };
};

const late = () => expect.poll(() => said).toMatchObject([{ type: 'history_moved' }]);

describe.each(routes)('the AI SDK route %s', (_, routeOf) => {
  describe.each([
    ['runs on after Stop', deaf, true],
    ['ends with the connection', (post: Post) => post, false],
  ])('with a model that %s', (__, mount, runsOn) => {
    test('stores one answer when the user stops it and regenerates', async () => {
      const { page, answer, askAndStop, storing, showing } = await opened(routeOf, mount);
      const half = await askAndStop();
      if (!runsOn) await storing().toEqual(['Why?', 'Half an ']);
      void page.regenerate();
      const whole = await answer(1);
      if (runsOn) {
        half.say('answer');
        half.end();
        await late();
      }
      whole.say('Because.');
      whole.end();
      await showing().toEqual(['Why?', 'Because.']);
      await storing().toEqual(['Why?', 'Because.']);
    });

    test('stores the edited question and its answer when the user stops and edits', async () => {
      const { page, answer, askAndStop, storing, send } = await opened(routeOf, mount);
      const half = await askAndStop();
      if (!runsOn) await storing().toEqual(['Why?', 'Half an ']);
      send('How?', page.messages[0]?.id);
      const whole = await answer(1);
      whole.say('So.');
      whole.end();
      await storing().toEqual(['How?', 'So.']);
      if (!runsOn) return;
      half.end();
      await late();
      await storing().toEqual(['How?', 'So.']);
    });

    test('stores one answer when a proxy repeats the request during the answer', async () => {
      const { answer, resend, storing } = await opened(routeOf, mount);
      const asked = [resend(user('u-1', 'Why?')), resend(user('u-1', 'Why?'))];
      const both = [await answer(0), await answer(1)];
      both[1]?.say('The one.');
      both[1]?.end();
      await storing().toEqual(['Why?', 'The one.']);
      both[0]?.say('The other.');
      both[0]?.end();
      await Promise.all(asked.map(async (response) => (await response).text()));
      await late();
      await storing().toEqual(['Why?', 'The one.']);
      expect((await resend(user('u-1', 'Why?'))).status).toBe(409);
    });
  });

  test('stores the part of the answer that was streamed before the user stopped it, and continues from there', async () => {
    const { answer, askAndStop, storing, send } = await opened(routeOf, (post) => post);
    await askAndStop();
    await storing().toEqual(['Why?', 'Half an ']);
    send('Go on.');
    const rest = await answer(1);
    rest.say('answer.');
    rest.end();
    await storing().toEqual(['Why?', 'Half an ', 'Go on.', 'answer.']);
    expect(said).toEqual([]);
  });

  test('stores no answer of a model that fails immediately, and answers the repeated request', async () => {
    const { model, answer, resend, stored, storing } = await opened(routeOf, (post) => post);
    const { doStream } = model;
    model.doStream = async () => Promise.reject(new Error('the model is down'));
    await (await resend(user('u-1', 'Why?'))).text();
    expect(await stored()).toEqual(['Why?']);
    model.doStream = doStream;
    const again = resend(user('u-1', 'Why?'));
    (await answer(0)).say('Because.');
    (await answer(0)).end();
    expect((await again).status).toBe(200);
    await storing().toEqual(['Why?', 'Because.']);
  });
});
