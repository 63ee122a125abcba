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
const KEY = 'key-1';
const missing = [
  ...(python === undefined ? [requirements.python] : []),
  ...(requirements.curl.isMet() ? [] : [requirements.curl]),
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
  const env = { PORT: '0', COLLOQUY_API_KEYS: `acme:${KEY}` };
  const server = await (await buildCommandLine()).start(
    args.split(' '),
    /# list the sessions/,
    env,
  );
  onTestFinished(async () => {
    await server.signal('SIGTERM');
    remove();
  });
  return /http:\/\/127\.0\.0\.1:\d+/.exec(server.output())?.[0] ?? '';
};

const startWorker = (url: string) => {
  const env = { PATH: process.env['PATH'], API_URL: url, API_KEY: KEY };
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

/** The lines of the page that send a message and wait for its answer. */
const lines = blocksIn(documentOf('docs/http.md'), 'bash').find(({ code }) =>
  code.includes('/send-message/'),
)?.code;

/** What a shell prints, in which `$SESSION` is a session of the server. */
const pasted = async (url: string, code: string): Promise<unknown> => {
  const env = { PATH: process.env['PATH'], API_URL: url, API_KEY: KEY, SESSION: 'chat-1' };
  const { stdout } = await promisify(execFile)('sh', ['-c', code], { env, timeout: PATIENT_MS });
  return JSON.parse(stdout);
};

test('the Python worker has at most thirty lines', () => {
  expect(worker?.code.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
});

for (const requirement of missing) test.skip(reasonToSkip(requirement));

test.skipIf(missing.length > 0)(
  "the Python worker answers each message from the page's lines to the server of npm start once",
  async () => {
    const url = await startServer();
    const printed = startWorker(url);
    const [send = '', answer = ''] = (lines ?? '').split(/\n(?=curl)/);
    const said: string[] = [];
    for (const id of ['m-1', 'm-2']) {
      const content = `Is this ${id}?`;
      const message = JSON.stringify({ id, content, create: true });
      const sent = send.replace(/'\{.*\}'/, `'${message}'`);
      await pasted(url, sent);
      expect(await pasted(url, answer.replace('m-1', id))).toMatchObject({
        content: `You said: ${content}`,
      });
      expect(await pasted(url, sent)).toMatchObject({ id, state: 'answered' });
      said.push(content, `You said: ${content}`);
    }
    const get = 'curl -sS -H "X-API-KEY: $API_KEY" "$API_URL/session/$SESSION"';
    const { history } = Object(await pasted(url, get));
    expect(history.map((entry: object) => Object(entry).content)).toEqual(said);
    expect(printed()).toBe('');
  },
);
