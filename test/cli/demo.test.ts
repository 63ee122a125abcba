import { execFile } from 'node:child_process';
import { once } from 'node:events';
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

/** Pastes a text into a shell. */
const paste = (text: string) => {
  const pasted = promisify(execFile)('sh', ['-c', text], { timeout: PATIENT_MS });
  return {
    printed: pasted.then(({ stdout }) => stdout),
    begun: once(pasted.child.stdout ?? pasted.child, 'data'),
  };
};

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
  const start = () => colloquy.start(args, /# get the session\n.*\n/, env);
  beforeAll(async () => {
    colloquy = await buildCommandLine();
    server = await start();
  });
  afterAll(async () => {
    await server.signal('SIGTERM');
    remove();
  });

  test('runs the command line on 127.0.0.1 and prints a key', () => {
    expect(program).toBe('dist/cli/main.js');
    expect(server.output()).toMatch(
      /^Colloquy listens on http:\/\/127\.0\.0\.1:\d+ and stores sessions in the SQLite file .+\./,
    );
    expect(server.output()).toMatch(/^API key, generated for this run: [\da-f]{32}$/m);
  });

  test('prints an address of the inspector that opens with the printed password', async () => {
    const key = /this run: (\w+)/.exec(server.output())?.[1];
    const url = /^Inspector: (\S+)/m.exec(server.output())?.[1] ?? '';
    const page = await fetch(url, { headers: { authorization: `Basic ${btoa(`me:${key}`)}` } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>')]);
    expect((await fetch(url)).headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  describe.skipIf(!requirements.curl.isMet())('prints lines for a shell', () => {
    test('that lead from create over start, append and watch to the end, each answer on lines of its own', async () => {
      const steps = stepsOf(server.output());
      const watch = 'watch it in the background until it ends';
      expect([...steps.keys()]).toEqual([
        'create a session',
        'list the sessions',
        'start it',
        'append to its history',
        watch,
        'append the reply',
        'terminate it',
        'get the session',
      ]);
      const answers = new Map<string, unknown>();
      const watching: Promise<string>[] = [];
      for (const [comment, line] of steps) {
        // The shell of a test ends with its line, so that it waits for the watch.
        const { printed, begun } = paste(line.replace(/ &$/, ''));
        if (comment === watch) {
          watching.push(printed);
          await begun;
        } else {
          const answer = await printed;
          expect(answer).toMatch(/[^\n]\n$/);
          answers.set(comment, JSON.parse(answer));
        }
      }
      const { session_id: id } = Object(answers.get('create a session'));
      expect(answers.get('list the sessions')).toMatchObject([{ id, status: 'IDLE' }]);
      expect(answers.get('start it')).toMatchObject({ id, status: 'ACTIVE' });
      expect(answers.get('terminate it')).toMatchObject({
        id,
        status: 'TERMINATED',
        end_reason: 'terminated',
      });
      const history = [{ content: 'What is 6 times 7?' }, { content: '42.' }];
      expect(answers.get('get the session')).toMatchObject({ id, status: 'TERMINATED', history });
      expect(await watching[0]).toMatch(/event: session\.changed\n.*"end_reason":"terminated"/);
    });

    test('of which a shell that reads comments as commands runs none by mistake', () => {
      for (const comment of stepsOf(server.output()).keys()) expect(comment).toMatch(/^[\w ]+$/);
    });
  });

  test('keeps its sessions when it is killed and started again', async () => {
    const send = async (path: string, body?: object): Promise<unknown> => {
      const key = /this run: (\w+)/.exec(server.output())?.[1] ?? '';
      const url = /http:\/\/[\d.:]+/.exec(server.output())?.[0] ?? '';
      const headers = { 'X-API-KEY': key, 'Content-Type': 'application/json', connection: 'close' };
      const sent = body && { method: 'POST', body: JSON.stringify(body) };
      return (await fetch(`${url}${path}`, { headers, ...sent })).json();
    };
    await send('/create-session', { face: 'ada', profile: 'tutor' });
    expect(server.output()).toMatch(/^Try this: kill it \(kill -9 \d+\), start it again/m);
    const before = await send('/sessions');
    expect(before).not.toEqual([]);
    await server.signal('SIGKILL');
    server = await start();
    expect(await send('/sessions')).toEqual(before);
  });

  if (!requirements.curl.isMet()) test.skip(reasonToSkip(requirements.curl));
});
