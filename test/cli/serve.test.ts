import { once } from 'node:events';
import { createServer } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { Options } from '../../src/cli/options.js';
import { serve as command } from '../../src/cli/serve.js';
import { createSweeper, SessionService } from '../../src/index.js';
import { EventReader } from '../http/event-reader.js';
import { buildCommandLine, type CommandLine, type Running } from '../support/command-line.js';
import { describeDatabases, newDatabase } from '../support/databases.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { freePort } from '../support/free-port.js';
import { PATIENT_MS } from '../support/patience.js';
import { openClient } from '../support/redis-clients.js';
import { okOf, startedIn } from '../support/sessions.js';
import type { StoreAddress } from '../support/store-address.js';

let colloquy: CommandLine;
beforeAll(async () => {
  colloquy = await buildCommandLine();
});

const UP = /Ctrl-C stops it[\s\S]*curl/;
const serve = (env: Record<string, string> = {}): Promise<Running> =>
  colloquy.start(['serve'], UP, { PORT: '0', ...env });

/** Sends what a printed curl line would send. */
const paste = (line: string): Promise<Response> => {
  const headers = [...line.matchAll(/-H ['"]([^:]+): ([^'"]+)['"]/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value],
  );
  const body = /-d '([^']+)'/.exec(line)?.[1];
  const url = /'(http:[^']+)'$/.exec(line)?.[1] ?? '';
  return fetch(url, { headers, ...(body === undefined ? {} : { method: 'POST', body }) });
};

const curlLines = (server: Running): string[] => server.output().match(/^curl .*$/gm) ?? [];

describe('colloquy serve', () => {
  test('prints a key and working curl lines for create and list', async () => {
    const server = await serve();
    // The memory of this process, which nothing else could sweep.
    expect(server.output()).not.toContain('--sweep');
    const [create = '', list = ''] = curlLines(server);
    const created = await paste(create);
    expect(created.status).toBe(201);
    const id = created.headers.get('location')?.replace('/session/', '');
    expect(await (await paste(list)).json()).toMatchObject([{ id, status: 'IDLE' }]);
    await server.signal('SIGTERM');
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('shuts down cleanly on %s', async (signal) => {
    const finished = await (await serve()).signal(signal);
    expect(finished).toMatchObject({ exitCode: 0, stderr: '' });
    expect(finished.stdout).toContain('Colloquy has stopped.');
  });

  test('accepts the keys of COLLOQUY_API_KEYS, and never prints one', async () => {
    const server = await serve({ COLLOQUY_API_KEYS: 'acme:open-sesame' });
    const list = curlLines(server)[1] ?? '';
    expect((await paste(list.replace('$KEY', 'open-sesame'))).status).toBe(200);
    expect((await paste(list.replace('$KEY', 'another'))).status).toBe(401);
    const { stdout, stderr } = await server.signal('SIGTERM');
    expect(stdout + stderr).not.toContain('sesame');
  });

  test.each([
    [{}, 404],
    [{ COLLOQUY_COMMANDS: 'off' }, 404],
    [{ COLLOQUY_COMMANDS: 'on' }, 200],
  ])('with %j, answers a start with %d', async (env, status) => {
    const server = await serve({ COLLOQUY_API_KEYS: 'acme:key', ...env });
    const [create = ''] = curlLines(server);
    const created = await paste(create.replace('$KEY', 'key'));
    const { session_id: id } = Object(await created.json());
    const url = new URL(`/start-session/${id}`, created.url);
    expect((await fetch(url, { method: 'POST', headers: { 'X-API-KEY': 'key' } })).status).toBe(
      status,
    );
    await server.signal('SIGTERM');
  });

  test.each([
    [{}, 404, 'application/json'],
    [{ COLLOQUY_EVENTS: 'on' }, 200, 'text/event-stream'],
  ])('with %j, answers a request for events with %d', async (env, status, type) => {
    const server = await serve({ COLLOQUY_API_KEYS: 'acme:key', ...env });
    const [create = ''] = curlLines(server);
    const created = await paste(create.replace('$KEY', 'key'));
    const path = `${created.headers.get('location')}/events`;
    const reader = await EventReader.open(new URL(created.url).origin, path, {
      'X-API-KEY': 'key',
    });
    expect([reader.status, reader.headers['content-type']]).toEqual([status, type]);
    reader.close();
    await server.signal('SIGTERM');
  });

  test('finishes an open event stream on SIGTERM without waiting to cut it', async () => {
    const server = await serve({ COLLOQUY_API_KEYS: 'acme:key', COLLOQUY_EVENTS: 'on' });
    const created = await paste((curlLines(server)[0] ?? '').replace('$KEY', 'key'));
    const path = `${created.headers.get('location')}/events`;
    const { origin } = new URL(created.url);
    const reader = await EventReader.open(origin, path, { 'X-API-KEY': 'key' });
    expect((await reader.next())?.event).toBe('session.snapshot');
    const stopped = server.signal('SIGTERM');
    await reader.rest();
    expect(reader.isComplete).toBe(true);
    expect(await stopped).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test.each([
    [{}, 404, 404],
    [{ COLLOQUY_INSPECTOR: 'on' }, 200, 401],
  ])(
    'with %j, answers the inspector with %d, and with %d without a key',
    async (env, status, withoutKey) => {
      const server = await serve({ COLLOQUY_API_KEYS: 'acme:key', ...env });
      const { url } = await paste((curlLines(server)[0] ?? '').replace('$KEY', 'key'));
      const ask = (headers: Record<string, string>) =>
        fetch(new URL('/inspector', url), { headers });
      expect((await ask({ authorization: `Basic ${btoa('anybody:key')}` })).status).toBe(status);
      expect((await ask({})).status).toBe(withoutKey);
      await server.signal('SIGTERM');
    },
  );

  test('reports a port in use in one line', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const finished = await colloquy.run(['serve'], { env: { PORT: String(port) } });
    taken.close();
    expect(finished.exitCode).toBe(1);
    expect(finished.stderr).toMatch(
      /^colloquy: cannot listen on port \d+ of 127\.0\.0\.1: listen EADDRINUSE: address already in use [^\n]+\n$/,
    );
  });

  test.each([
    ['PORT', '70000', 'PORT must be a whole number from 0 to 65535'],
    ['PORT', 'http', 'PORT must be a whole number'],
    ['HOST', 'no such host!', 'HOST must be'],
    ['REDIS_URL', 'localhost:6379', 'REDIS_URL must be a URL'],
    [
      'COLLOQUY_API_KEYS',
      'hunter2',
      'COLLOQUY_API_KEYS: entry 1: tenant must have 1 to 256 characters',
    ],
    ['COLLOQUY_COMMANDS', 'yes', 'COLLOQUY_COMMANDS must be on or off'],
    ['COLLOQUY_EVENTS', 'yes', 'COLLOQUY_EVENTS must be on or off'],
    ['COLLOQUY_INSPECTOR', 'yes', 'COLLOQUY_INSPECTOR must be on or off'],
    ['COLLOQUY_SWEEP', 'yes', 'COLLOQUY_SWEEP must be on or off'],
    ['COLLOQUY_COMMANDS', '', 'COLLOQUY_COMMANDS is empty'],
    ['COLLOQUY_API_KEYS', '', 'COLLOQUY_API_KEYS is empty'],
    [
      'COLLOQUY_API_KEYS',
      'a:hunter2,b:hunter2',
      'COLLOQUY_API_KEYS: entry 2: key must not be in the list twice',
    ],
  ])(
    '%s=%s: names the malformed variable and the rule, but no key',
    async (name, value, message) => {
      const options = () => new Options(command, [], { PORT: '0', [name]: value });
      const refused = await (async () => command.run(options()))().catch((cause: unknown) => cause);
      expect(refused).toMatchObject({ exitCode: 2, message: expect.stringContaining(message) });
      expect(String(refused)).not.toMatch(/\n|hunter2/);
    },
  );

  test('exits with 2 and one line if a variable is malformed', async () => {
    const { exitCode, stderr } = await colloquy.run(['serve'], {
      env: { PORT: '0', COLLOQUY_API_KEYS: 'hunter2' },
    });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^colloquy: COLLOQUY_API_KEYS: entry 1: [^\n]+\n$/);
    expect(stderr).not.toContain('hunter2');
  });

  test('reports an unreachable Redis without the password', async () => {
    const url = `redis://user:hunter2@127.0.0.1:${await freePort()}`;
    const finished = await colloquy.run(['serve'], { env: { PORT: '0', REDIS_URL: url } });
    expect(finished.exitCode).toBe(1);
    expect(finished.stderr).toMatch(
      /^colloquy: Redis at 127\.0\.0\.1:\d+: connect ECONNREFUSED [\d.:]+\n$/,
    );
  });
});

describeWithRedis('colloquy serve with Redis', ({ port, url }) => {
  test('keeps sessions across restarts', async () => {
    const env = { REDIS_URL: url, COLLOQUY_API_KEYS: `restart-${process.pid}:key` };
    const first = await serve(env);
    const [create = ''] = curlLines(first);
    expect((await paste(create.replace('$KEY', 'key'))).status).toBe(201);
    await first.signal('SIGTERM');
    const second = await serve(env);
    const list = curlLines(second)[1] ?? '';
    expect(await (await paste(list.replace('$KEY', 'key'))).json()).toHaveLength(1);
    await second.signal('SIGTERM');
  });

  test('stores overdue ends with --sweep, even if nobody reads the sessions', async () => {
    const prefix = `sweeping-${process.pid}`;
    const store = new RedisSessionStore({
      client: openClient('ioredis 5', { port }),
      prefix,
      events: true,
      timeoutMs: PATIENT_MS,
    });
    const sessions = new SessionService({ store, tenant: 'acme' });
    const id = await startedIn(sessions, { timeLimit: 0.05 });
    const server = await serve({
      REDIS_URL: url,
      COLLOQUY_PREFIX: prefix,
      COLLOQUY_EVENTS: 'on',
      COLLOQUY_SWEEP: 'on',
    });
    for await (const item of sessions.watchAll({ cursor: '0' })) {
      const change = item._unsafeUnwrap();
      if (change.type !== 'session.terminated') continue;
      expect(change).toMatchObject({ sessionId: id, endReason: 'time_limit' });
      break;
    }
    expect(await server.signal('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

/** The environment in which `serve` keeps sessions in a database. */
const environmentOf = (address: StoreAddress): Record<string, string> => {
  if (address.type === 'sqlite') return { COLLOQUY_SQLITE: address.file };
  return address.type === 'postgres'
    ? { COLLOQUY_POSTGRES: address.url, COLLOQUY_SCHEMA: address.schema }
    : { REDIS_URL: `redis://127.0.0.1:${address.port}`, COLLOQUY_PREFIX: address.prefix };
};

describeDatabases('colloquy serve next to an application', (kind) => {
  test('leaves sweeps and reports to the application', async () => {
    const { address, open } = await newDatabase(kind);
    const sessions = new SessionService({ store: open() });
    const id = await startedIn(sessions, { timeLimit: 0.001 });
    const server = await serve(environmentOf(address));
    expect(server.output()).not.toContain('use --sweep');
    expect(await server.signal('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
    const told: string[] = [];
    const onEnded = ({ id: ended }: { readonly id: string }) => told.push(ended);
    expect(await okOf(createSweeper(sessions, { onEnded }).sweepOnce())).toMatchObject({
      ended: 1,
    });
    expect(told).toEqual([id]);
  });

  test('refuses to sweep if the application reports ends, and explains why', async () => {
    const { address, open } = await newDatabase(kind);
    await startedIn(new SessionService({ store: open() }));
    const { exitCode, stderr } = await colloquy.run(['serve', '--sweep'], {
      env: environmentOf(address),
    });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('reportEnds')]);
  });
});
