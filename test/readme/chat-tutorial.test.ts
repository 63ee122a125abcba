import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.js';
import { documentOf, root } from './documents.js';
import { SampleFolder } from './run-sample.js';
import { blocksIn } from './samples.js';

/** The files of the tutorial as a reader has them, on the sources of this repository. */
const writeTutorial = (): string => {
  const folder = new SampleFolder();
  onTestFinished(() => folder.remove());
  const page = documentOf('docs/chat.md');
  for (const block of ['ts', 'ts parse-only'].flatMap((language) => blocksIn(page, language))) {
    const name = /^\/\/ (\S+)\n/.exec(block.code)?.[1];
    if (name === undefined) throw new Error(`${block.name} has no file name`);
    const code = block.code
      .replace('listen(3000,', "listen(Number(process.env['PORT']),")
      .replace("console.log('http://127.0.0.1:3000')", 'process.send?.(0)');
    folder.write({ ...block, code }, '', name);
  }
  return folder.path;
};

/** Half a minute after a crash, when the lease of the killed process has expired. */
const LATER = 'const { now } = Date; Date.now = () => now() + 31_000;';

/** Starts the server of the tutorial, and returns when it listens. */
const startServer = async (folder: string, port: number, before = ''): Promise<ChildProcess> => {
  const imports = [`data:text/javascript,${before}`, join(root, '.ci/sources.mjs')];
  const server = spawn(
    process.execPath,
    [...imports.flatMap((each) => ['--import', each]), join(folder, 'server.mts')],
    { cwd: folder, env: { ...process.env, PORT: `${port}` }, stdio: ['ignore', 1, 'pipe', 'ipc'] },
  );
  onTestFinished(() => void server.kill('SIGKILL'));
  const errors: string[] = [];
  if (server.stderr !== null) {
    createInterface({ input: server.stderr }).on('line', (line) => errors.push(line));
  }
  const ended = once(server, 'exit').then(() => Promise.reject(new Error(errors.join('\n'))));
  await Promise.race([once(server, 'message'), ended]);
  ended.catch(() => {});
  return server;
};

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
  const folder = writeTutorial();
  const port = await freePort();
  const { say, chat } = openChat(port);
  const first = await startServer(folder, port);
  expect(await say('m1', 'Hello')).toBe('You have said 1 things.\n');
  const lost = say('m2', 'Are you still there?').catch(() => 'lost');
  await expect.poll(chat).toContain('user: Are you still there?');
  first.kill('SIGKILL');
  expect(await lost).toBe('lost');

  await startServer(folder, port, LATER);
  expect(await chat()).toMatch(/user: Are you still there\?\n$/);
  expect(await say('m2', 'Are you still there?')).toBe('You have said 2 things.\n');
  expect(await say('m2', 'Are you still there?')).toBe('You have said 2 things.\n');
  expect(await chat()).toBe(
    'user: Hello\nassistant: You have said 1 things.\n' +
      'user: Are you still there?\nassistant: You have said 2 things.\n',
  );
});

test('the tutorial chat stores and answers two messages in flight once each, even if the server is killed', async () => {
  const folder = writeTutorial();
  const port = await freePort();
  const { insist, chat } = openChat(port);
  const first = await startServer(folder, port);
  let isBack = () => {};
  const back = new Promise<void>((resolve) => {
    isBack = resolve;
  });
  const sent = [insist('m1', 'Hello', back), insist('m2', 'Are you there?', back)];
  const asked = async () => (await chat()).match(/^user: /gm);
  await expect.poll(asked).toHaveLength(2);
  first.kill('SIGKILL');
  await startServer(folder, port, LATER);
  isBack();
  const answers = await Promise.all(sent);
  const said = await chat();
  expect(said.match(/^user: .*/gm)?.toSorted()).toEqual(['user: Are you there?', 'user: Hello']);
  expect(said).not.toMatch(/assistant: .*\nassistant: /);
  for (const answer of answers) expect(said).toContain(`assistant: ${answer}`);
  expect(said).toMatch(/assistant: .*\n$/);
});
