import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { inspect } from '../../src/cli/inspect.js';
import { list } from '../../src/cli/list.js';
import { Options } from '../../src/cli/options.js';
import { serve } from '../../src/cli/serve.js';
import { SessionService } from '../../src/index.js';
import { buildCommandLine, type CommandLine, type Finished } from '../support/command-line.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { freePort, LOOPBACK } from '../support/free-port.js';
import { PATIENT_MS } from '../support/patience.js';
import { runHere } from '../support/run-here.js';

/** Accepts connections and never answers. */
const silent = createServer();

let colloquy: CommandLine;
/** It waits for seconds, together with the other tests. */
let waiting: Promise<Finished>;
beforeAll(async () => {
  [colloquy] = await Promise.all([
    buildCommandLine(),
    once(silent.listen(0, LOOPBACK), 'listening'),
  ]);
  waiting = colloquy.run([
    'list',
    '--redis',
    `redis://${LOOPBACK}:${Object(silent.address()).port}`,
  ]);
});
afterAll(async () => {
  silent.close();
  await waiting;
});

const HOSTILE = '\u001b]0;owned\u0007\u009b2J\u202e\nTERMINATED  2026';
const OBEYED = /[\p{Cc}\p{Cf}]/u;

const objects = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => Object(JSON.parse(line)));

const cursorIn = (stderr: string): string => /--cursor (\S+)/.exec(stderr)?.[1] ?? '';

describeWithRedis('the command line with a Redis', ({ url }) => {
  const prefix = `cli-${process.pid}`;
  const where = ['--redis', url, '--prefix', prefix, '--partitions', '4', '--tenant', 'acme'];
  /** In the order in which they are made. */
  const ids = Array.from({ length: 130 }, (_, at) => `session-${String(at).padStart(3, '0')}`);
  const [active = '', terminated = '', expired = ''] = ids;
  let sessions: SessionService;
  let client: Redis;

  beforeAll(async () => {
    client = new Redis(url);
    const store = new RedisSessionStore({
      client,
      prefix,
      partitions: 4,
      events: true,
      timeoutMs: PATIENT_MS,
    });
    let made = 0;
    const next = () => ids[made++] ?? `session-${made}`;
    sessions = new SessionService({ store, tenant: 'acme', ids: { next } });
    for (const id of ids) {
      const timeLimit = id === expired ? 0.001 : 60;
      await sessions.create({
        face: `face of ${id}`,
        profile: HOSTILE,
        context: 'c'.repeat(1000),
        timeLimit,
      });
    }
    for (const id of [active, terminated, expired]) await sessions.start(id);
    await sessions.append(active, [
      { role: 'user', content: HOSTILE },
      { role: 'assistant', content: 'word '.repeat(40) },
      { role: 'user\u001b[0m', content: 'bye' },
    ]);
    await sessions.terminate(terminated);
  });
  afterAll(() => client.quit());

  const newest = (count: number) => ids.toReversed().slice(0, count);

  test('list shows the newest sessions in columns and how to continue, without escape sequences', async () => {
    const { exitCode, stdout, stderr } = await colloquy.run(['list', '--limit', '2', ...where]);
    expect(exitCode).toBe(0);
    const [titles, ...rows] = stdout.trimEnd().split('\n');
    expect(titles).toMatch(
      /^ID +STATUS +CREATED \(UTC\) +SECONDS +ENTRIES +INBOX +WORK +FACE +PROFILE$/,
    );
    expect(rows.map((row) => row.split(/ {2,}/)[0])).toEqual(newest(2));
    expect(rows[0]).toContain('\\u{1b}]0;owned\\u{7}');
    expect(stdout.replaceAll('\n', '')).not.toMatch(OBEYED);
    expect(stderr).toMatch(/^2 of 130 sessions; next page: --cursor \S+\n$/);
    const more = await runHere([
      'list',
      '--json',
      '--limit',
      '2',
      '--cursor',
      cursorIn(stderr),
      ...where,
    ]);
    expect(objects(more.stdout).map(({ id }) => id)).toEqual(newest(4).slice(2));
  });

  test('list fits the terminal width', async () => {
    const { stdout } = await runHere(['list', ...where], { env: { COLUMNS: '72' } });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(72);
  });

  test('list --status includes overdue sessions, reads all pages, and writes nothing', async () => {
    const states = () =>
      client.keys(`${prefix}:*:record:*`).then((keys) => client.mget(keys.sort()));
    const before = await states();
    const list = (...args: string[]) => runHere(['list', '--json', ...args, ...where]);
    const running = await list('--status', 'active');
    expect(objects(running.stdout).map(({ id }) => id)).toEqual([active]);
    const ended = await list('--status', 'TERMINATED', '--order', 'oldest');
    expect(objects(ended.stdout)).toMatchObject([
      { id: terminated, end_reason: 'terminated' },
      { id: expired, end_reason: 'time_limit' },
    ]);
    const idle = await list('--status', 'IDLE', '--limit', '101');
    expect(objects(idle.stdout).map(({ id }) => id)).toEqual(newest(101));
    const rest = await list(
      '--status',
      'IDLE',
      '--limit',
      '101',
      '--cursor',
      cursorIn(idle.stderr),
    );
    expect(objects(rest.stdout).map(({ id }) => id)).toEqual(newest(127).slice(101));
    expect(await states()).toEqual(before);
  });

  test('list exits quietly if its output is closed', async () => {
    const { exitCode, stderr } = await colloquy.run(
      ['list', '--json', '--limit', '130', ...where],
      { hangUp: true },
    );
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  test('list names unreadable sessions, shows the others, and exits with 1', async () => {
    const broken = new SessionService({
      store: new RedisSessionStore({ client, prefix, partitions: 4, timeoutMs: PATIENT_MS }),
      tenant: 'broken',
    });
    const bad = (await broken.create({ face: 'ada', profile: 'tutor' }))._unsafeUnwrap().id;
    const good = (await broken.create({ face: 'ada', profile: 'tutor' }))._unsafeUnwrap().id;
    const [key = ''] = await client.keys(`${prefix}:*:record:broken:${bad}`);
    await client.set(key, 'x');
    const { exitCode, stdout, stderr } = await runHere([
      'list',
      '--json',
      ...where,
      '--tenant',
      'broken',
    ]);
    expect(objects(stdout).map(({ id }) => id)).toEqual([good]);
    expect(stderr).toBe(`colloquy: unreadable sessions: ${bad}\n`);
    expect(exitCode).toBe(1);
  });

  test('inspect shows a session, with its text on separate, indented lines', async () => {
    const { exitCode, stdout } = await runHere(['inspect', active, '--history', '2', ...where], {
      env: { COLUMNS: '60' },
    });
    expect(exitCode).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual([`ID        ${active}`, 'Status    ACTIVE']);
    expect(stdout).toMatch(/^Duration {2}\d+ s of 60 s$/m);
    expect(stdout).toContain('History   3 entries, the last 2');
    expect(stdout).toMatch(/Z {2}assistant\n {4}word word/);
    expect(stdout).toMatch(/Z {2}user\\u\{1b\}\[0m\n {4}bye\n$/);
    expect(stdout).toContain('\n          TERMINATED  2026\n');
    expect(lines.join('')).not.toMatch(OBEYED);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });

  test('inspect --json prints the session as the HTTP interface does, and why it ended', async () => {
    const { stdout } = await runHere(['inspect', active, '--json', ...where]);
    expect(objects(stdout)).toMatchObject([
      {
        id: active,
        status: 'ACTIVE',
        options: { profile: HOSTILE, time_limit: 60 },
        history: [{ content: HOSTILE }, {}, {}],
      },
    ]);
    expect(stdout.trimEnd()).not.toMatch(OBEYED);
    const ended = await runHere(['inspect', terminated, '--json', ...where]);
    expect(objects(ended.stdout)).toMatchObject([
      { status: 'TERMINATED', end_reason: 'terminated' },
    ]);
  });

  test('inspect --follow shows the changes until the session has ended', async () => {
    const id = (await sessions.create({ face: 'ada', profile: 'tutor' }))._unsafeUnwrap().id;
    const texts = await colloquy.start(['inspect', id, '--follow', ...where], /History/);
    const lines = await colloquy.start(['inspect', id, '--follow', '--json', ...where], /snapshot/);
    await sessions.start(id);
    await Promise.all([texts.shown(/ {2}active\n/), lines.shown(/"ACTIVE"/)]);
    await sessions.append(id, [{ role: 'user', content: HOSTILE }]);
    await Promise.all([texts.shown(/2026\n/), lines.shown(/"entries":\[\{/)]);
    await sessions.fail(id);
    const [text, json] = await Promise.all([texts.end(), lines.end()]);
    expect([text.exitCode, json.exitCode]).toEqual([0, 0]);
    const shown =
      /Z {2}active\n[\s\S]*Z {2}user\n {4}\\u\{1b\}.*\n {4}TERMINATED {2}2026\n.*terminated, failed\n$/;
    expect(text.stdout).toMatch(shown);
    expect(objects(json.stdout)).toMatchObject([
      { type: 'session.snapshot', session: { status: 'IDLE' } },
      { type: 'session.changed', session: { status: 'ACTIVE' }, entries: [] },
      { type: 'session.changed', sequence: 3, entries: [{ role: 'user', content: HOSTILE }] },
      { type: 'session.changed', session: { status: 'TERMINATED', end_reason: 'failed' } },
    ]);
  });

  test('inspect --follow reports that events are not enabled', async () => {
    const silent = ['--redis', url, '--prefix', `${prefix}-silent`];
    const { exitCode, stderr } = await runHere(['inspect', 'x', '--follow', ...silent]);
    expect([exitCode, stderr]).toMatchObject([
      1,
      expect.stringMatching(/^colloquy: .*: events are not enabled; .*\n$/),
    ]);
  });

  test.each([
    [['inspect', 'nobody'], 1, 'there is no such session'],
    [['inspect', 'x'.repeat(300)], 2, 'id must'],
    [['list', '--cursor', 'x'], 2, 'cursor must be a cursor'],
    [['list', '--created-after', 'now'], 2, 'createdAfter must be'],
  ])('%j exits with %d and one line', async (args, code, message) => {
    const { exitCode, stdout, stderr } = await runHere([...args, ...where]);
    expect([exitCode, stdout]).toEqual([code, '']);
    expect(stderr).toMatch(/^colloquy: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });
});

test('list reports an unreachable Redis without its password', async () => {
  const env = { REDIS_URL: `redis://user:hunter2@127.0.0.1:${await freePort()}` };
  const { exitCode, stderr } = await runHere(['list'], { env });
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^colloquy: Redis at [\d.:]+: connect ECONNREFUSED [\d.:]+\n$/),
  ]);
});

test.each([
  [[], 'the command is missing'],
  [['lst'], 'command "lst" is unknown (did you mean list?)'],
  [['\u001b[2J'], 'command "\\u001b[2J" is unknown'],
  [['list', '--sttus', 'IDLE'], '--sttus is unknown (did you mean --status?)'],
])('%j is rejected in one line', async (args, message) => {
  const { exitCode, stdout, stderr } = await runHere(args);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^colloquy: [^\n]+\n$/);
  expect(stderr).toContain(message);
});

const commands = { serve, list, inspect };

test('--help lists the commands and nothing else', async () => {
  const { exitCode, stdout } = await colloquy.run(['--help']);
  expect(exitCode).toBe(0);
  expect([...stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name)).toEqual(
    Object.keys(commands),
  );
});

test.each<[keyof typeof commands, string[], string]>([
  ['serve', ['--event'], '--event is unknown (did you mean --events?)'],
  ['serve', ['commands'], 'argument "commands" is unknown (did you mean --commands?)'],
  ['serve', ['-x'], '-x is unknown'],
  ['serve', ['--constructor'], '--constructor is unknown'],
  ['serve', ['x'], 'argument "x" is unknown'],
  ['serve', ['--port', 'x'], '--port must be a whole number'],
  ['serve', ['--host', 'x y'], '--host must be'],
  ['serve', ['--commands=on'], '--commands must have no value'],
  ['list', ['--status', 'BUSY'], '--status must be IDLE, ACTIVE, PAUSED or TERMINATED'],
  ['list', ['--limit', '0'], '--limit must be a whole number, at least 1'],
  ['list', ['--limit'], '--limit must have a value'],
  ['list', ['--redis', 'redis://x/y'], '--redis must be a URL'],
  ['list', ['--redis', 'redis://:hunter2@x:y'], '--redis must be a URL'],
  ['list', ['--redis', 'redis://x', '--partitions', '0'], '--partitions must be a whole number'],
  ['list', ['--redis', 'redis://x', '--prefix', '{x}'], '--prefix must be'],
  ['list', ['--redis', 'redis://x', '--tenant', ''], '--tenant must have'],
  ['list', [], 'the location of the sessions is missing'],
  ['list', ['--redis', 'redis://x', '--url', 'http://x'], '--redis and --url are both set'],
  ['list', ['--sqlite', 'x', '--redis', 'redis://x'], '--redis and --sqlite are both set'],
  ['serve', ['--sqlite', 'x', '--redis', 'redis://x'], '--redis and --sqlite are both set'],
  ['serve', ['--sqlite', ''], '--sqlite must be the path of a file'],
  ['serve', ['--sqlite', ':memory:'], '--sqlite must be the path of a file'],
  ['serve', ['--sqlite', 'libsql://x'], '--sqlite must be the path of a file'],
  ['list', ['--postgres', 'http://x'], '--postgres must be a URL'],
  ['list', ['--postgres', 'postgres://u:hunter2/@x'], '--postgres must be a URL'],
  ['list', ['--postgres', 'postgres://u:12/hunter2@x'], '--postgres must be a URL'],
  ['list', ['--postgres', 'postgres://u:12?hunter2@x'], '--postgres must be a URL'],
  ['list', ['--postgres', 'postgres://x', '--schema', 'A'], '--schema must be 1 to 50'],
  ['list', ['--sqlite', 'x', '--postgres', 'postgres://x'], '--postgres and --sqlite are both set'],
  ['list', ['--url', 'http://x'], 'set COLLOQUY_API_KEY'],
  ['list', ['--url', 'http://x', '--tenant', 'x'], '--tenant cannot be used with --url'],
  ['inspect', [], 'the session ID is missing'],
  ['inspect', ['a', 'b'], 'argument "b" is unknown'],
  [
    'inspect',
    ['a', '--history', '-1'],
    '--history must have a value: write --history=VALUE if it begins with a dash',
  ],
])('%s %j is rejected', async (name, args, message) => {
  const command = commands[name];
  const refused = await (async () => command.run(new Options(command, args, {})))().catch(
    (cause: unknown) => cause,
  );
  expect(refused).toMatchObject({ exitCode: 2, message: expect.stringContaining(message) });
  expect(String(refused)).not.toMatch(/\n|hunter2/);
});

test('--version prints the package version', async () => {
  expect((await runHere(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
});

test('a silent Redis times out', async () => {
  const { exitCode, stderr } = await waiting;
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^colloquy: Redis at .* no answer within 4 s\n$/),
  ]);
});
