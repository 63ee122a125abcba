import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.js';
import { onPort, startServerFile, writeFilesOf } from './page-files.js';

/** Half a minute after a crash, when the lease of the killed process has expired. */
const LATER = 'const { now } = Date; Date.now = () => now() + 31_000;';

/** A client of a chat on this port. */
const openChat = (port: number) => {
  const url = `http://127.0.0.1:${port}/my-chat`;
  const send = (id: string, body: string): Promise<Response> =>
    fetch(url, { method: 'POST', body, headers: { 'x-message-id': id, connection: 'close' } });
  const say = async (id: string, body: string): Promise<string> => (await send(id, body)).text();
  /** Sends a message, and sends it again once the killed server is back. */
  const insist = async (id: string, body: string, back: Promise<unknown>): Promise<string> => {
    for (;;) {
      const response = await send(id, body).catch(() => undefined);
      if (response?.ok) return response.text();
      await back;
    }
  };
  const chat = async (): Promise<string> =>
    (await fetch(url, { headers: { connection: 'close' } })).text();
  return { say, insist, chat };
};

test('the tutorial chat survives a kill during an answer', async () => {
  const folder = writeFilesOf('docs/chat.md', onPort);
  const port = await freePort();
  const { say, chat } = openChat(port);
  const first = await startServerFile(folder, 'server.mts', port);
  expect(await say('m1', 'Hello')).toBe('You have said 1 things.\n');
  const lost = say('m2', 'Are you still there?').catch(() => 'lost');
  await expect.poll(chat).toContain('user: Are you still there?');
  first.kill('SIGKILL');
  expect(await lost).toBe('lost');

  await startServerFile(folder, 'server.mts', port, LATER);
  expect(await chat()).toMatch(/user: Are you still there\?\n$/);
  expect(await say('m2', 'Are you still there?')).toBe('You have said 2 things.\n');
  expect(await say('m2', 'Are you still there?')).toBe('You have said 2 things.\n');
  expect(await chat()).toBe(
    'user: Hello\nassistant: You have said 1 things.\n' +
      'user: Are you still there?\nassistant: You have said 2 things.\n',
  );
});

test('the tutorial chat stores and answers two messages in flight once each, even if the server is killed', async () => {
  const folder = writeFilesOf('docs/chat.md', onPort);
  const port = await freePort();
  const { insist, chat } = openChat(port);
  const first = await startServerFile(folder, 'server.mts', port);
  let isBack = () => {};
  const back = new Promise<void>((resolve) => {
    isBack = resolve;
  });
  const sent = [insist('m1', 'Hello', back), insist('m2', 'Are you there?', back)];
  const asked = async () => (await chat()).match(/^user: /gm);
  await expect.poll(asked).toHaveLength(2);
  first.kill('SIGKILL');
  await startServerFile(folder, 'server.mts', port, LATER);
  isBack();
  const answers = await Promise.all(sent);
  const said = await chat();
  expect(said.match(/^user: .*/gm)?.toSorted()).toEqual(['user: Are you there?', 'user: Hello']);
  expect(said).not.toMatch(/assistant: .*\nassistant: /);
  for (const answer of answers) expect(said).toContain(`assistant: ${answer}`);
  expect(said).toMatch(/assistant: .*\n$/);
});
