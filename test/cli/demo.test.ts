import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCommandLine, type CommandLine, type Running } from '../support/command-line.js';
import { REPOSITORY } from '../support/packed-package.js';
import { PATIENT_MS } from '../support/patience.js';
import { reasonToSkip, requirements } from '../support/requirements.js';
import { sqliteFile } from '../support/sqlite-file.js';

const manifest: { scripts: { start: string } } = JSON.parse(
  readFileSync(join(REPOSITORY, 'package.json'), 'utf8'),
);
const [program, ...startArgs] = manifest.scripts.start.replace(/^exec node /, '').split(' ');

/** Pastes a text into a shell. Returns what is printed. */
const paste = async (text: string): Promise<string> =>
  (await promisify(execFile)('sh', ['-c', text], { timeout: PATIENT_MS })).stdout;

/** The pasted lines by their comments. */
const stepsOf = (output: string): ReadonlyMap<string, string> =>
  new Map(
    [...output.matchAll(/^# (.+)\n(curl .+)$/gm)].map(([, comment = '', line = '']) => [
      comment,
      line,
    ]),
  );

describe('npm start', () => {
  const { file, remove } = sqliteFile();
  const args = startArgs.map((arg) => (arg === 'demo.db' ? file : arg));
  // A variable that some shells set does not open the demo to other machines.
  const env = { PORT: '0', HOST: '0.0.0.0' };
  let colloquy: CommandLine;
  let server: Running;
  const start = () => colloquy.start(args, /each message is answered once/, env);
  const keyOf = () => /this run: (\w+)/.exec(server.output())?.[1] ?? '';
  const send = async (path: string, body?: object): Promise<unknown> => {
    const url = /http:\/\/[\d.:]+/.exec(server.output())?.[0] ?? '';
    const headers = {
      'X-API-KEY': keyOf(),
      'Content-Type': 'application/json',
      connection: 'close',
    };
    const sent = body && { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(`${url}${path}`, { headers, ...sent })).json();
  };
  beforeAll(async () => {
    colloquy = await buildCommandLine();
    server = await start();
  });
  afterAll(async () => {
    await server.signal('SIGTERM');
    remove();
  });

  test('serves on 127.0.0.1 and prints a key', () => {
    expect(program).toBe('dist/cli/main.js');
    expect(server.output()).toMatch(
      /^Colloquy listens on http:\/\/127\.0\.0\.1:\d+ and stores sessions in the SQLite file .+\./,
    );
    expect(server.output()).toMatch(/^API key, generated for this run: [\da-f]{32}$/m);
  });

  test('prints the address of the sample conversation, which opens with the printed password', async () => {
    const url = /^Inspector: (\S+#demo)/m.exec(server.output())?.[1] ?? '';
    const headers = { authorization: `Basic ${btoa(`me:${keyOf()}`)}` };
    const page = await fetch(url, { headers });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>')]);
    expect((await fetch(url)).headers.get('www-authenticate')).toMatch(/^Basic /);
    const history = expect.arrayContaining([expect.objectContaining({ content: 'Hm. 41?' })]);
    expect(await send('/session/demo')).toMatchObject({ status: 'ACTIVE', history });
  });

  describe.skipIf(!requirements.curl.isMet())('prints shell lines', () => {
    test('that send a message, which is answered, and list the sessions', async () => {
      const steps = stepsOf(server.output());
      expect([...steps.keys()]).toEqual(['send a message', 'list the sessions']);
      const sent = JSON.parse(await paste(steps.get('send a message') ?? ''));
      expect(sent).toMatchObject({ state: 'waiting' });
      expect(await send(`/session/demo/answer?message_id=${sent.id}`)).toMatchObject({
        content: 'You said: And 7 times 7?',
      });
      const listed = await paste(steps.get('list the sessions') ?? '');
      expect(JSON.parse(listed)).toMatchObject([{ id: 'demo', status: 'ACTIVE' }]);
    });

    test('whose comments are harmless in a shell that runs comments as commands', () => {
      for (const comment of stepsOf(server.output()).keys()) expect(comment).toMatch(/^[\w ]+$/);
    });
  });

  test('answers a message once if it is killed before the answer and started again', async () => {
    const question = { id: 'm-kill', content: 'Are you still there?' };
    await send('/send-message/demo', question);
    await server.signal('SIGKILL');
    server = await start();
    await send('/send-message/demo', question);
    await send('/session/demo/answer?message_id=m-kill');
    const { history } = Object(await send('/session/demo'));
    const said = history.slice(-2).map(({ content = '' }) => content);
    expect(said).toEqual(['Are you still there?', 'You said: Are you still there?']);
  });

  if (!requirements.curl.isMet()) test.skip(reasonToSkip(requirements.curl));
});
