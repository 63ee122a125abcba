import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { list } from '../../src/cli/list.js';
import { Options } from '../../src/cli/options.js';
import { SessionClient } from '../../src/client/index.js';
import { buildCommandLine, type CommandLine, type Running } from '../support/command-line.js';
import { freePort } from '../support/free-port.js';
import { runHere } from '../support/run-here.js';

let colloquy: CommandLine;
let server: Running;
let env: Record<string, string>;
let sessions: SessionClient;

beforeAll(async () => {
  colloquy = await buildCommandLine();
  const options = ['serve', '--port', '0', '--commands', '--events'];
  // What the options switch on, the environment does not switch off.
  const off = {
    PORT: '1',
    COLLOQUY_COMMANDS: 'off',
    COLLOQUY_EVENTS: 'off',
    COLLOQUY_API_KEYS: 'acme:key',
  };
  server = await colloquy.start(options, /Ctrl-C stops it/, off);
  const baseUrl = /http:\/\/\S+/.exec(server.output())?.[0] ?? '';
  env = { COLLOQUY_URL: baseUrl, COLLOQUY_API_KEY: 'key' };
  sessions = new SessionClient({ baseUrl, apiKey: 'key' });
});
afterAll(async () => {
  await server.signal('SIGTERM');
});

const create = async (): Promise<string> =>
  (await sessions.create({ face: 'ada', profile: '\u001b[31m' }))._unsafeUnwrap().id;

describe('the command line with a running service', () => {
  test('lists sessions, also by status', async () => {
    const [idle, active] = [await create(), await create()];
    await sessions.start(active);
    const all = await runHere(['list'], { env });
    expect(all.stdout).toMatch(new RegExp(`${active} +ACTIVE[^]*${idle} +IDLE`));
    expect(all.stdout).not.toContain('\u001b');
    expect(all.stderr).toBe('2 sessions\n');
    const some = await runHere(['list', '--json', '--status', 'ACTIVE'], { env });
    expect(JSON.parse(some.stdout)).toMatchObject({
      id: active,
      options: { profile: '\u001b[31m' },
    });
  });

  test('shows a session and follows it', async () => {
    const id = await create();
    const shown = await runHere(['inspect', id], { env });
    expect(shown).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringContaining(`ID        ${id}\n`),
    });
    const following = await colloquy.start(['inspect', id, '--follow'], /History/, env);
    await sessions.start(id);
    await following.shown(/active\n/);
    await sessions.append(id, [{ role: 'user', content: 'Hello' }]);
    await following.shown(/Hello\n/);
    await sessions.terminate(id);
    const { exitCode, stdout } = await following.end();
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Z {2}active\n.*Z {2}user\n {4}Hello\n.*Z {2}terminated, terminated\n$/);
  });

  test.each([
    [['inspect', 'nobody'], {}, 1, 'there is no such session'],
    [['list', '--cursor', 'x'], {}, 2, 'cursor must be a cursor'],
    [['list'], { COLLOQUY_API_KEY: 'hunter2' }, 1, 'API key'],
    [['list', '--url', 'http://user:hunter2@127.0.0.1'], {}, 2, 'without user name'],
    [['list'], { REDIS_URL: 'redis://127.0.0.1' }, 2, 'REDIS_URL and COLLOQUY_URL are both set'],
  ])('%j with %j exits with %3$d and one line', async (args, further, code, message) => {
    const { exitCode, stdout, stderr } = await runHere(args, { env: { ...env, ...further } });
    expect([exitCode, stdout]).toEqual([code, '']);
    expect(stderr).toMatch(/^colloquy: [^\n]+\n$/);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hunter2');
  });

  test('reports a missing service in one line', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const run = list.run(new Options(list, ['--url', url], { COLLOQUY_API_KEY: 'key' }));
    await expect(run).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('escapes the response of a hostile service before it reaches the terminal', async () => {
    const stranger = createServer((_, response) => {
      const detail = 'no \u001b[2J\u009b2J';
      const problem = {
        type: 'about:blank',
        title: 'x',
        status: 401,
        detail,
        code: 'unauthenticated',
      };
      response.writeHead(401, { 'Content-Type': 'application/json' }).end(JSON.stringify(problem));
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const address = stranger.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { exitCode, stderr } = await runHere(['list', '--url', `http://127.0.0.1:${port}`], {
      env,
    });
    stranger.close();
    expect(exitCode).toBe(1);
    expect(stderr.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe('a hostile service', () => {
  const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\nTERMINATED';
  const options = {
    face: HOSTILE,
    profile: HOSTILE,
    behavior: HOSTILE,
    context: HOSTILE,
    time_limit: 0,
  };
  const entry = { role: HOSTILE, content: HOSTILE, timestamp: HOSTILE };
  const session = {
    id: HOSTILE,
    status: 'ACTIVE',
    options,
    history: [entry],
    created_at: HOSTILE,
    duration: 0,
  };
  const { history: _, ...summary } = {
    ...session,
    status: 'TERMINATED',
    labels: { [HOSTILE]: HOSTILE },
    updated_at: HOSTILE,
  };
  const entries = [{ ...entry, position: 1 }];
  const changed = { type: 'session.changed', session: summary, entries, sequence: 2, position: 1 };
  const cursor = '1-0-0-00000000-00000000-v1';
  const stream = [
    `id: ${cursor}\nevent: session.snapshot\ndata: ${JSON.stringify(session)}\n\n`,
    `id: ${cursor}\nevent: session.changed\ndata: ${JSON.stringify(changed)}\n\n`,
    'event: end\ndata: {}\n\n',
  ].join('');
  const inHeader = encodeURIComponent('\u001b[2J');

  let stranger: Server;
  let url: string;
  beforeAll(async () => {
    stranger = createServer(({ url: path = '' }, response) => {
      response
        .setHeader('X-Total-Count', '1000')
        .setHeader('Link', '</sessions?limit=20>; rel="first"');
      response
        .setHeader('X-Next-Cursor', '\u009b2J\u0085')
        .setHeader('X-Unreadable-Sessions', inHeader);
      if (path.endsWith('/events'))
        response.setHeader('Content-Type', 'text/event-stream').end(stream);
      else
        response.end(
          JSON.stringify(path.startsWith('/session/') ? session : Array(30).fill(session)),
        );
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const address = stranger.address();
    url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  });
  afterAll(() => stranger.close());

  test.each([
    [['list']],
    [['list', '--json']],
    [['inspect', 'x']],
    [['inspect', 'x', '--json']],
    [['inspect', 'x', '--follow']],
    [['inspect', 'x', '--follow', '--json']],
  ])('cannot send the terminal anything that it obeys: %j', async (args) => {
    // Lines of JSON have no colours.
    const both = [{ NO_COLOR: '1' }, { FORCE_COLOR: '1' }];
    for (const color of args.includes('--json') ? [{ FORCE_COLOR: '1' }] : both) {
      const colors = new RegExp('FORCE_COLOR' in color ? '\u001b\\[\\d{1,2}m' : '(?!)', 'g');
      const { stdout, stderr } = await runHere([...args, '--url', url], {
        env: { ...env, ...color, COLUMNS: '90' },
      });
      const lines = (stdout + stderr).split('\n').map((line) => line.replace(colors, ''));
      expect(lines.join('')).toContain('owned');
      expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      if (!args.includes('--json'))
        for (const line of stdout.split('\n'))
          expect(line.replace(colors, '').length).toBeLessThan(91);
    }
  });
});

test('prints colours on a terminal unless NO_COLOR is set, and never into a pipe', async () => {
  const output = async (more: Record<string, string>) =>
    (await colloquy.run(['list'], { env: { ...env, ...more } })).stdout;
  expect(await output({ FORCE_COLOR: '1' })).toContain('\u001b[1mID');
  expect(await output({ NO_COLOR: '1' })).not.toContain('\u001b');
  expect(await output({})).not.toContain('\u001b');
});
