import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { databaseHelp, openStore } from '../../src/cli/open-store.js';
import { Options } from '../../src/cli/options.js';
import { SessionService } from '../../src/index.js';
import { documentOf } from '../readme/documents.js';
import { blocksIn } from '../readme/samples.js';
import { buildCommandLine, type CommandLine } from '../support/command-line.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { freePort } from '../support/free-port.js';
import { openPool, schemaName } from '../support/postgres-schema.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { runHere } from '../support/run-here.js';
import { okOf } from '../support/sessions.js';
import { openLibsql, sqliteFile } from '../support/sqlite-file.js';

let colloquy: CommandLine;
beforeAll(async () => {
  colloquy = await buildCommandLine();
});

/** What follows `user colloquy` in the document on Redis. */
const documentedRights = (): string[] => {
  const text = blocksIn(documentOf('docs/redis.md'), 'conf')
    .map(({ code }) => code.replaceAll('\\\n', ' '))
    .join('\n');
  return /^user colloquy (.*)$/m.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
};

describeWithRedis('the command line as a Redis user with the documented rights', () => {
  let server: RedisServer;
  let admin: Redis;
  let url: string;

  beforeAll(async () => {
    server = await startRedis();
    admin = new Redis(server.port);
    await admin.call('ACL', 'SETUSER', 'colloquy', ...documentedRights());
    url = `redis://colloquy:change-me@127.0.0.1:${server.port}`;
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  test('runs every command without a refusal by Redis', async () => {
    const env = { REDIS_URL: url, PORT: '0', COLLOQUY_API_KEYS: 'default:key' };
    const serving = await colloquy.start(
      ['serve', '--events', '--commands'],
      /Ctrl-C stops it/,
      env,
    );
    const origin = /http:\/\/[\d.:]+/.exec(serving.output())?.[0] ?? '';
    const headers = { 'X-API-KEY': 'key', 'Content-Type': 'application/json' };
    const entries = [{ role: 'user', content: 'Hello' }];
    const body = JSON.stringify({ face: 'ada', profile: 'tutor', start: true, entries });
    expect(
      (await fetch(`${origin}/create-session`, { method: 'POST', headers, body })).status,
    ).toBe(201);
    const listed = await runHere(['list', '--json'], { env });
    const { id } = Object(JSON.parse(listed.stdout.split('\n')[0] ?? ''));
    expect((await runHere(['inspect', id], { env })).stdout).toContain('Hello');
    expect(await serving.signal('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await admin.call('ACL', 'LOG')).toEqual([]);
  });

  test('reports a wrong password and a missing database in one line', async () => {
    for (const wrong of [
      url.replace('change-me', 'hunter2'),
      `redis://127.0.0.1:${server.port}/99`,
    ]) {
      const { exitCode, stderr } = await runHere(['list'], { env: { REDIS_URL: wrong } });
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringMatching(/^colloquy: Redis at [\d.:]+: [^\n]+\n$/),
      ]);
      expect(stderr).not.toContain('hunter2');
    }
  });
});

/**
 * Every command, during a running service and after its end, on a database that an environment
 * variable names.
 */
const tryEveryCommand = async (env: Readonly<Record<string, string>>, storeName: string) => {
  const serverEnv = { ...env, PORT: '0', COLLOQUY_API_KEYS: 'default:key' };
  const first = await colloquy.start(
    ['serve', '--events', '--commands'],
    /Ctrl-C stops it/,
    serverEnv,
  );
  expect(first.output()).toContain(`stores sessions in ${storeName}.`);
  const origin = /http:\/\/[\d.:]+/.exec(first.output())?.[0] ?? '';
  const headers = { 'X-API-KEY': 'key', 'Content-Type': 'application/json' };
  const post = async (path: string, body: object) =>
    Object(
      await (
        await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
      ).json(),
    );
  const labels = { user: 'u-1' };
  const { session_id: id } = await post('/create-session', {
    face: 'ada',
    profile: 'tutor',
    labels,
  });
  const following = await colloquy.start(['inspect', id, '--follow'], /History/, env);
  await post(`/start-session/${id}`, {});
  await post(`/terminate-session/${id}`, {});
  expect((await following.end()).stdout).toMatch(/terminated, terminated\n$/);
  expect(await first.signal('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
  const listed = await colloquy.run(
    ['list', '--json', '--status', 'TERMINATED', '--labels', 'user=u-1'],
    { env },
  );
  expect(listed.stderr).toBe('');
  expect(JSON.parse(listed.stdout)).toMatchObject({ id, labels });
  expect((await colloquy.run(['list', '--status', 'TERMINATED'], { env })).stderr).toBe(
    '1 session\n',
  );
  const either = ['list', '--status', 'paused', '--status', 'TERMINATED', '--order', 'updated'];
  expect((await colloquy.run(either, { env })).stderr).toBe('1 session\n');
};

describeWithPostgres('the command line on PostgreSQL', (postgres) => {
  const url = postgres.url.replace('postgres@', 'postgres:hunter2@');
  const schema = schemaName();
  const env = { COLLOQUY_POSTGRES: url, COLLOQUY_SCHEMA: schema };
  const storeName = `PostgreSQL at ${postgres.host}:${postgres.port}`;
  const pool = openPool(postgres, { max: 1 });
  afterAll(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await pool.end();
  });

  test('runs every command during a running service and after its end', () =>
    tryEveryCommand(env, storeName));

  test.each([[['list']], [['inspect', 'x']]])('creates no tables with %j', async (command) => {
    const absent = schemaName();
    const without = await runHere([...command, '--schema', absent], { env });
    const message = `${storeName}: the tables of the store are missing: call migrate() first`;
    expect([without.exitCode, without.stderr]).toEqual([1, expect.stringContaining(message)]);
    const { rowCount } = await pool.query('SELECT FROM pg_namespace WHERE nspname = $1', [absent]);
    expect(rowCount).toBe(0);
  });

  test('reads with a read-only connection', async () => {
    const options = new Options({ help: databaseHelp, operands: 0 }, [], env);
    (await openStore(options, {})).close();
    const { store, close } = await openStore(options, { isReadOnly: true });
    expect(
      await new SessionService({ store }).create({ face: 'ada', profile: 'tutor' }),
    ).toMatchObject({
      error: { message: 'the database is read-only', outcome: 'not_applied' },
    });
    close();
  });

  test('reports failures in one line without the password', async () => {
    const wrong = [
      url.replace(/\/postgres$/, '/absent'),
      url.replace(`:${postgres.port}`, `:${await freePort()}`),
    ];
    for (const [at, reason] of [/database "absent" does not exist/, /ECONNREFUSED/].entries()) {
      for (const command of [['list'], ['serve']]) {
        const { exitCode, stderr } = await runHere(command, {
          env: { ...env, PORT: '0', COLLOQUY_POSTGRES: wrong[at] ?? '' },
        });
        expect([exitCode, stderr]).toEqual([
          1,
          expect.stringMatching(/^colloquy: (tenant default in )?PostgreSQL at [\d.:]+: [^\n]+\n$/),
        ]);
        expect(stderr).toMatch(reason);
        expect(stderr).not.toContain('hunter2');
      }
    }
  });
});

describe('the command line on a SQLite file', () => {
  const { file, remove } = sqliteFile();
  const env = { COLLOQUY_SQLITE: file };
  afterAll(remove);

  test('runs every command during a running service and after its end', () =>
    tryEveryCommand(env, `the SQLite file ${file}`));

  test('sets a write-ahead log for a file without one, when it serves', async () => {
    const path = `${file}-without`;
    openLibsql(path, 'PRAGMA journal_mode = DELETE; CREATE TABLE own (value)').close();
    const serverEnv = { PORT: '0', COLLOQUY_API_KEYS: 'default:key' };
    const service = await colloquy.start(['serve', '--sqlite', path], /Ctrl-C stops it/, serverEnv);
    expect(await service.signal('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
    const database = openLibsql(path, 'PRAGMA busy_timeout = 0');
    expect(database.prepare('PRAGMA journal_mode').all()).toEqual([{ journal_mode: 'wal' }]);
    database.close();
  });

  test('creates the file and its log readable by their owner only, when it serves', async () => {
    const path = `${file}-private`;
    const serverEnv = { PORT: '0', COLLOQUY_API_KEYS: 'default:key' };
    const service = await colloquy.start(['serve', '--sqlite', path], /Ctrl-C stops it/, serverEnv);
    await service.signal('SIGTERM');
    const database = openLibsql(path, 'PRAGMA journal_mode = WAL; CREATE TABLE own (value)');
    const modes = ['', '-wal', '-shm'].map((end) => statSync(`${path}${end}`).mode & 0o777);
    database.close();
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  test.each([[['list']], [['inspect', 'x']]])(
    'creates no file and no tables with %j',
    async (command) => {
      const absent = `${file}-absent`;
      const other = `${file}-other`;
      writeFileSync(other, '');
      for (const [text, message] of [
        [absent, 'there is no such file'],
        [other, 'the tables of the store are missing'],
        [dirname(file), 'nable to open'],
      ] as const) {
        const { exitCode, stderr } = await colloquy.run([...command, '--sqlite', text]);
        expect([exitCode, stderr]).toEqual([
          1,
          expect.stringMatching(/^colloquy: [^\n]*the SQLite file [^\n]+\n$/),
        ]);
        expect(stderr).toContain(message);
      }
      expect([existsSync(absent), statSync(other).size]).toEqual([false, 0]);
    },
  );

  test('escapes text that terminals and databases reject, and prints it unchanged in lines of JSON', async () => {
    const hostile = 'NUL \0, a lone \ud83d, 😀, \u001b[2J';
    const path = `${file} ?#%é.db`;
    const store = new SqliteSessionStore({ database: openLibsql(path) });
    (await store.migrate())._unsafeUnwrap();
    const sessions = new SessionService({ store });
    const { id } = await okOf(
      sessions.create({ face: hostile, profile: hostile, labels: { user: hostile } }),
    );
    await okOf(sessions.start(id));
    await okOf(sessions.append(id, [{ role: 'user', content: hostile }]));
    const listed = await colloquy.run(['list', '--json', '--sqlite', path]);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      options: { face: hostile },
      labels: { user: hostile },
      history: [{ content: hostile }],
    });
    const { stdout } = await colloquy.run(['inspect', id, '--sqlite', path]);
    expect(stdout).toContain('NUL \\u{0}, a lone \\u{d83d}, 😀, \\u{1b}[2J');
  });
});
