import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { hear } from '../../examples/turns/barge-in.js';
import { chatServer } from '../../examples/turns/chat-server.js';
import { remind, reminderWorker } from '../../examples/turns/reminder.js';
import { receive, webhookWorker } from '../../examples/turns/webhook.js';
import { SessionService, type Worker } from '../../src/index.js';
import { spokenModel } from '../adapters/ai-sdk/spoken-model.js';

const open = () => {
  const sessions = new SessionService({ store: new MemorySessionStore({ events: true }) });
  const storing = (id: string) =>
    expect.poll(async () => (await sessions.orThrow.get(id)).history.map(({ content }) => content));
  const starting = (worker: Worker) => {
    worker.start();
    onTestFinished(() => worker.stop());
  };
  return { sessions, storing, starting };
};

test('the chat server streams an answer to two tabs, stores what was said until Stop, and answers the next message', async () => {
  const { sessions, storing, starting } = open();
  const { model, answer } = spokenModel();
  const { worker, server } = chatServer(sessions, model);
  starting(worker);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/chat`;
  const tab = async () => {
    const { body } = await fetch(url);
    let shown = '';
    const reading = async () => {
      for await (const part of body ?? []) shown += new TextDecoder().decode(part);
    };
    reading().catch(() => undefined);
    return () => shown;
  };
  const say = async (id: string, content: string) =>
    (await fetch(url, { method: 'POST', body: JSON.stringify({ id, content }) })).status;
  const tabs = [await tab(), await tab()];
  expect(await say('m-1', 'Why?')).toBe(202);
  (await answer(0)).say('Half an ');
  for (const shown of tabs) await expect.poll(shown).toContain('Half an ');
  const late = await tab();
  await expect.poll(late).toContain('data: "Half an "');
  expect(await say('m-2', 'Go on.')).toBe(202);
  expect(await say('m-2', 'Go on.')).toBe(202);
  await fetch(`${url}/stop`, { method: 'POST' });
  const rest = await answer(1);
  rest.say('answer.');
  rest.end();
  await storing('chat').toEqual(['Why?', 'Half an ', 'Go on.', 'answer.']);
});

test('the webhook answers a repeated and unordered burst once, in the order in which it was said', async () => {
  const { sessions, storing, starting } = open();
  const delivered: string[] = [];
  const asked: string[] = [];
  starting(
    webhookWorker(
      sessions,
      async (said) => {
        asked.push(said.map(({ content }) => content).join(' '));
        return 'Hi.';
      },
      async (to, text, key) => void delivered.push(`${to} ${text} ${key}`),
    ),
  );
  const post = (id: string, text: string, minute: number) =>
    receive(sessions, { from: 'ann', id, text, at: new Date(Date.UTC(2026, 0, 1, 12, minute)) });
  await post('b+/=', 'Anybody there?', 2);
  await post('a b', 'Hello', 1);
  expect(await post('b+/=', 'Anybody there?', 2)).toMatchObject({ repeated: true });
  await storing('ann').toEqual(['Anybody there?', 'Hello', 'Hi.']);
  expect(asked).toEqual(['Hello Anybody there?']);
  expect(delivered).toEqual(['ann Hi. ann:1']);
});

test('a caller who interrupts leaves the heard part of the answer before the next question', async () => {
  const { sessions, storing } = open();
  const spoken: ((heard: string) => void)[] = [];
  const call = {
    id: 'call',
    speak: (_: string) => new Promise<string>((resolve) => spoken.push(resolve)),
    interrupt: () => spoken.at(-1)?.('From nine'),
  };
  const ask = async () => 'From nine to five.';
  const first = hear(sessions, call, { id: 'm-1', content: 'When?' }, ask);
  await expect.poll(() => spoken.length).toBe(1);
  const second = hear(sessions, call, { id: 'm-2', content: 'And on Sundays?' }, ask);
  expect((await first)._unsafeUnwrap()).toMatchObject({ content: 'From nine —', ran: true });
  await expect.poll(() => spoken.length).toBe(2);
  spoken[1]?.('From nine to five.');
  await second;
  await storing('call').toEqual(['When?', 'From nine —', 'And on Sundays?', 'From nine to five.']);
});

test('a reminder is sent at its time, and after the answer to an earlier message', async () => {
  const { sessions, storing, starting } = open();
  const { orThrow } = sessions;
  await orThrow.create({ id: 'chat', start: true });
  await orThrow.send('chat', { id: 'm-1', content: 'Remind me.' });
  await remind(sessions, 'chat', new Date(), 'Call Ann.');
  starting(reminderWorker(sessions, async () => 'I will.'));
  await storing('chat').toEqual(['Remind me.', 'I will.', 'Call Ann.']);
});
