import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { buildCommandLine } from '../support/command-line.js';
import { findBinary } from '../support/find-binary.js';
import { REPOSITORY } from '../support/packed-package.js';
import { PATIENT_MS } from '../support/patience.js';
import { reasonToSkip, requirements } from '../support/requirements.js';
import { sqliteFile } from '../support/sqlite-file.js';
import { documentOf } from './documents.js';
import { blocksIn } from './samples.js';

const python = findBinary('python3', 'PYTHON');
const curl = findBinary('curl', 'CURL');
const missing = [
  ...(python === undefined ? [requirements.python] : []),
  ...(curl === undefined ? [requirements.curl] : []),
];

/** The worker of the page, as it stands there. */
const [worker] = blocksIn(documentOf('docs/workers.md'), 'python');

const { scripts }: { scripts: { start: string } } = JSON.parse(
  readFileSync(join(REPOSITORY, 'package.json'), 'utf8'),
);

/** The server of `npm start` over a database of its own. */
const startServer = async () => {
  const { file, remove } = sqliteFile();
  const args = scripts.start.replace('exec node dist/cli/main.js ', '').replace('demo.db', file);
  const env = { PORT: '0', COLLOQUY_API_KEYS: 'acme:key-1' };
  const server = await (await buildCommandLine()).start(args.split(' '), /# get the session/, env);
  onTestFinished(async () => {
    await server.signal('SIGTERM');
    remove();
  });
  return /http:\/\/127\.0\.0\.1:\d+/.exec(server.output())?.[0] ?? '';
};

const startWorker = (url: string) => {
  const env = { PATH: process.env['PATH'], API_URL: url, API_KEY: 'key-1' };
  const child = spawn(python ?? 'python3', ['-u', '-c', worker?.code ?? ''], { env });
  const closed = new Promise((resolve) => child.once('close', resolve));
  let printed = '';
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk) => {
      printed += chunk;
    });
  }
  onTestFinished(async () => {
    child.kill();
    await closed;
  });
  return () => printed;
};

const call = async (url: string, ...args: readonly string[]): Promise<unknown> => {
  const headers = ['-H', 'X-API-KEY: key-1', '-H', 'Content-Type: application/json'];
  const all = ['-sS', ...headers, ...args, url];
  const { stdout } = await promisify(execFile)(curl ?? 'curl', all, { timeout: PATIENT_MS });
  return JSON.parse(stdout);
};

test('the worker in Python has at most thirty lines', () => {
  expect(worker?.code.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
});

for (const requirement of missing) test.skip(reasonToSkip(requirement));

test.skipIf(missing.length > 0)(
  'the worker in Python answers each message that curl sends to the server of npm start, once',
  async () => {
    const url = await startServer();
    const printed = startWorker(url);
    const created = await call(`${url}/create-session`, '-d', '{"face":"ada","profile":"tutor"}');
    const { session_id: id } = Object(created);
    await call(`${url}/start-session/${id}`, '-X', 'POST');
    const send = (name: string, content: string) =>
      call(`${url}/send-message/${id}`, '-d', JSON.stringify({ id: name, content }));
    const answer = (name: string) => call(`${url}/session/${id}/answer?message_id=${name}`);
    const said: string[] = [];
    for (const [name, content] of [
      ['m-1', 'Hello.'],
      ['m-2', 'What is 6 times 7?'],
    ] as const) {
      await send(name, content);
      await send(name, content);
      expect(await answer(name)).toMatchObject({ content: `You said: ${content}` });
      said.push(content, `You said: ${content}`);
    }
    expect(await send('m-1', 'Hello.')).toMatchObject({ state: 'answered' });
    const { history } = Object(await call(`${url}/session/${id}`));
    expect(history.map((entry: object) => Object(entry).content)).toEqual(said);
    expect(printed()).toBe('');
  },
);
