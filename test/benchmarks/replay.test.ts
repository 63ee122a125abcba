import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { errAsync, okAsync } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { progressBar } from '../../benchmarks/replay/progress-bar.js';
import { replayLines } from '../../benchmarks/replay/replay-lines.js';
import { SessionService } from '../../src/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import type { BeginCommit, ChangeCommit } from '../../src/store/commit.js';
import { isMove, isRedaction, isStateChange } from '../../src/store/commit.js';
import { buildCommandLine, type CommandLine } from '../support/command-line.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';

const conversation = (id: string, turns: number): string =>
  JSON.stringify({
    id,
    services: ['ignored'],
    turns: Array.from({ length: turns }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `${id}, turn ${at}: "quoted", \u2028, 😀\n`,
    })),
  });

const lines = [conversation('one', 1), conversation('odd', 7), conversation('even', 12), ''];
const text = lines.join('\n');

let replay: CommandLine;
let dir: string;
beforeAll(async () => {
  [replay, dir] = await Promise.all([
    buildCommandLine('benchmarks/replay/main'),
    mkdtemp(join(tmpdir(), 'replay-')),
  ]);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const expectAll = (stdout: string): void => {
  expect(stdout).toContain('3 conversations, 20 turns');
  expect(stdout).toContain('no difference');
};

describe('npm run replay', () => {
  test('replays the conversations of a file and reads them back without a difference', async () => {
    const file = join(dir, 'conversations.jsonl');
    await writeFile(file, text);
    const { exitCode, stdout } = await replay.run([file, '--concurrency', '2']);
    expectAll(stdout);
    expect(exitCode).toBe(0);
  });

  test('reads conversations from a pipe', async () => {
    const { exitCode, stdout } = await replay.run([], { input: text });
    expectAll(stdout);
    expect(exitCode).toBe(0);
  });

  test('names the lines that are not conversations, replays the others, and exits with 1', async () => {
    const input = [
      lines[0],
      'no JSON',
      '{"id":"x"}',
      '{"id":"y","turns":[{"role":1}]}',
      lines[1],
    ].join('\n');
    const { exitCode, stdout, stderr } = await replay.run([], { input });
    expect(stdout).toMatch(/^line 2: .*JSON/m);
    expect(stdout).toContain('line 3: is not {"id": "...", "turns": [');
    expect(stdout).toContain('line 4: is not {"id": "...", "turns": [');
    expect(stdout).toContain('2 conversations, 8 turns');
    expect(stderr).toBe('replay: some sessions differ from what was recorded\n');
    expect(exitCode).toBe(1);
  });

  test('writes to the file of COLLOQUY_SQLITE only if an option asks for it', async () => {
    const file = join(dir, 'sessions.db');
    const untold = await replay.run(['--keep'], { env: { COLLOQUY_SQLITE: file }, input: text });
    expect(untold.stdout).toContain('stored in memory');
    const told = await replay.run(['--sqlite', file], { input: text });
    expect(told.stdout).toContain(`stored in the SQLite file ${file}`);
    expectAll(told.stdout);
  });

  test('reports invalid arguments in one line', async () => {
    for (const args of [['a', 'b'], ['--concurrency', '0'], ['--redis', 'x'], ['--unknown']]) {
      const { exitCode, stderr } = await replay.run(args);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^replay: [^\n]+\n$/);
    }
    expect((await replay.run([join(dir, 'absent')])).stderr).toMatch(
      /^replay: ENOENT: no such file or directory/,
    );
  });

  test('lists its options with --help', async () => {
    expect((await replay.run(['--help'])).stdout).toContain('--concurrency');
  });
});

describe('the comparison of a replay', () => {
  const replayOn = (store: MemorySessionStore) =>
    replayLines(new SessionService({ store }), lines, 4);

  test('detects a store that loses an entry', async () => {
    class Forgetful extends MemorySessionStore {
      override change(commit: ChangeCommit) {
        if (isMove(commit) || isRedaction(commit) || isStateChange(commit))
          return super.change(commit);
        const { entries = [] } = commit.effects;
        const kept = entries.filter(({ content }) => !content.startsWith('odd, turn 3'));
        return super.change({ ...commit, effects: { ...commit.effects, entries: kept } });
      }
    }
    const { problems } = await replayOn(new Forgetful());
    expect(problems).toContain('odd: there are 6 entries, not 7');
    expect(problems.filter((problem) => !problem.startsWith('odd:'))).toEqual([]);
  });

  test('detects a store that omits a session from the list', async () => {
    class Unlisting extends MemorySessionStore {
      override page(...[tenant, page]: Parameters<MemorySessionStore['page']>) {
        return super
          .page(tenant, page)
          .map((read) => ({ ...read, records: read.records.slice(1) }));
      }
    }
    expect((await replayOn(new Unlisting())).problems).toHaveLength(1);
  });

  test('reports a conversation that a store could not keep, and continues', async () => {
    let inserts = 0;
    const failing = new MemorySessionStore();
    const begin = failing.begin.bind(failing);
    const store = Object.assign(failing, {
      begin: (commit: BeginCommit) => {
        inserts += 1;
        return inserts === 2
          ? errAsync(storeUnavailable('gone', 'unknown'))
          : okAsync(begin(commit)._unsafeUnwrap());
      },
    });
    const report = await replayLines(new SessionService({ store }), lines, 1);
    expect(report.ids).toHaveLength(2);
    expect(report.problems).toEqual(['line 2: odd: gone']);
  });
});

describe('the progress bar of a replay', () => {
  const drawn = (isTTY: boolean): string[] => {
    const written: string[] = [];
    const draw = progressBar({
      isTTY,
      write: (text: Uint8Array | string) => written.push(String(text)) > 0,
    });
    draw('replayed 6', 0.5);
    draw('replayed 7', 0.6);
    draw('');
    return written;
  };

  test('is drawn now and then on a terminal, and cleared at the end', () => {
    expect(drawn(true)).toEqual([
      `\r\u001b[K[${'#'.repeat(12)}${'.'.repeat(12)}] replayed 6`,
      '\r\u001b[K',
    ]);
  });

  test('is not drawn in a pipe', () => {
    expect(drawn(false)).toEqual([]);
  });
});

describeWithRedis('npm run replay with Redis', ({ url }) => {
  const prefix = `replay-${process.pid}`;
  const env = { REDIS_URL: url, COLLOQUY_PREFIX: prefix };
  let client: Redis;
  beforeAll(() => {
    client = new Redis(url);
  });
  afterAll(() => client.quit());

  test('replays, reads back, and leaves nothing behind', async () => {
    const { exitCode, stdout } = await replay.run(['--redis', url], { input: text });
    expectAll(stdout);
    expect(exitCode).toBe(0);
  });

  test('writes to the Redis of REDIS_URL only with --redis env', async () => {
    const untold = await replay.run(['--keep'], { env, input: text });
    expect(untold.stdout).toContain('stored in memory');
    expect(await client.keys(`${prefix}:*`)).toEqual([]);
    const told = await replay.run(['--redis', 'env', '--keep'], { env, input: text });
    expect(told.stdout).toContain('stored in Redis at');
    expect(await client.keys(`${prefix}:*`)).not.toEqual([]);
    const nowhere = await replay.run(['--redis', 'env'], { input: text });
    expect(nowhere).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--redis must be a URL'),
    });
  });

  test('stores the conversations under the given tenant, next to its other sessions', async () => {
    const sessions = new SessionService({
      store: new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS }),
      tenant: 'acme',
    });
    await sessions.create({ face: 'ada', profile: 'tutor' });
    const args = ['--redis', url, '--prefix', prefix, '--tenant', 'acme', '--keep'];
    const { exitCode, stdout } = await replay.run(args, { input: text });
    expectAll(stdout);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('under tenant acme')]);
    expect((await sessions.list())._unsafeUnwrap().total).toBe(4);
  });
});
