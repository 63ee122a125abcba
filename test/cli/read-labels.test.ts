import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { SessionService } from '../../src/index.js';
import { buildCommandLine, type CommandLine, type Running } from '../support/command-line.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { runHere } from '../support/run-here.js';

const ada = { face: 'ada', profile: 'tutor' };
const HOSTILE = 'a\nTERMINATED\u001b[2J';

describeWithRedis('labels, leases and entry counts on the command line', ({ url }) => {
  const prefix = `cli-labels-${process.pid}`;
  const where = ['--redis', url, '--prefix', prefix];
  let colloquy: CommandLine;
  let server: Running;
  let client: Redis;
  let sessions: SessionService;
  let env: Record<string, string>;

  beforeAll(async () => {
    colloquy = await buildCommandLine();
    const keys = { COLLOQUY_API_KEYS: 'default:key' };
    server = await colloquy.start(['serve', '--port', '0', ...where], /Ctrl-C stops it/, keys);
    const baseUrl = /http:\/\/\S+/.exec(server.output())?.[0] ?? '';
    env = { COLLOQUY_URL: baseUrl, COLLOQUY_API_KEY: 'key' };
    client = new Redis(url);
    sessions = new SessionService({
      store: new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS }),
    });
  });
  afterAll(async () => {
    await server.signal('SIGTERM');
    await client.quit();
  });

  const create = async (labels: Record<string, string> = {}, entries = 0): Promise<string> => {
    const { id } = (await sessions.create({ ...ada, labels }))._unsafeUnwrap();
    await sessions.start(id);
    const said = Array.from({ length: entries }, (_, at) => ({ role: 'user', content: `${at}` }));
    if (entries > 0) (await sessions.append(id, said))._unsafeUnwrap();
    return id;
  };

  const idsIn = (stdout: string): string[] =>
    stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.split(/ {2,}/)[0] ?? '');

  test('list counts the entries of a history without reading the history', async () => {
    const id = await create({ kind: 'counted' }, 3);
    const [journal = ''] = await client.keys(`${prefix}:*:journal:*:${id}`);
    await client.setrange(journal, 0, 'x');
    const { stdout } = await runHere(['list', '--labels', 'kind=counted', ...where]);
    expect(stdout).toMatch(new RegExp(`${id} +ACTIVE .* +\\d+ +3 +0 +- +ada`));
    const whole = await runHere(['list', '--json', '--labels', 'kind=counted', ...where]);
    expect(whole).toMatchObject({ exitCode: 1, stderr: `colloquy: unreadable sessions: ${id}\n` });
  });

  test('list --labels finds the sessions with a label, in Redis and in a service', async () => {
    const mine = [await create({ user: 'u=1' }, 2), await create({ user: 'u=1', channel: 'web' })];
    await create({ user: 'u=2' });
    const label = ['list', '--labels', 'user=u=1'];
    const fromRedis = await runHere([...label, ...where]);
    expect(idsIn(fromRedis.stdout).sort()).toEqual(mine.sort());
    expect(fromRedis.stderr).toBe('2 sessions\n');
    const fromService = await runHere(label, { env });
    expect(idsIn(fromService.stdout).sort()).toEqual(mine.sort());
    expect(fromService.stdout).toMatch(new RegExp(`${mine[0]} +ACTIVE .* +\\d+ +- +- +- +ada`));
    const one = await runHere([...label, '--limit', '1', ...where]);
    expect(one.stderr).toMatch(/^1 of 2 sessions; next page/);
  });

  test('list --labels and --status work together, in Redis and in a service', async () => {
    const [active, paused] = [await create({ job: 'x' }), await create({ job: 'x' })];
    await sessions.pause(paused);
    const label = ['list', '--labels', 'job=x', '--status'];
    expect(idsIn((await runHere([...label, 'ACTIVE', ...where])).stdout)).toEqual([active]);
    expect(idsIn((await runHere([...label, 'PAUSED', ...where])).stdout)).toEqual([paused]);
    expect(idsIn((await runHere([...label, 'PAUSED'], { env })).stdout)).toEqual([paused]);
    const either = [...label, 'PAUSED', '--status', 'ACTIVE', '--order', 'updated'];
    for (const [args, options] of [
      [[...either, ...where], {}],
      [either, { env }],
    ] as const) {
      expect(idsIn((await runHere(args, options)).stdout).toSorted()).toEqual(
        [active, paused].toSorted(),
      );
    }
  });

  test('list accepts several labels, and orders by last use within one label, in Redis and in a service', async () => {
    const ids = [
      await create({ owner: 'o-1', kind: 'a' }),
      await create({ owner: 'o-1', kind: 'b' }),
    ];
    await create({ owner: 'o-2', kind: 'a' });
    (await sessions.append(ids[0] ?? '', [{ role: 'user', content: 'hello' }]))._unsafeUnwrap();
    const both = ['list', '--labels', 'owner=o-1', '--labels', 'kind=a'];
    const byUse = ['list', '--labels', 'owner=o-1', '--order', 'updated'];
    for (const [at, options] of [{}, { env }].entries()) {
      const from = at === 0 ? where : [];
      expect(idsIn((await runHere([...both, ...from], options)).stdout)).toEqual([ids[0]]);
      expect(idsIn((await runHere([...byUse, ...from], options)).stdout)).toEqual(ids);
    }
    const first = await runHere([...byUse, '--limit', '1', ...where]);
    const [, cursor = ''] = /--cursor (\S+)/.exec(first.stderr) ?? [];
    expect(idsIn((await runHere([...byUse, '--cursor', cursor, ...where])).stdout)).toEqual([
      ids[1],
    ]);
    const twice = await runHere(['list', '--labels', 'a=b', '--labels', 'a=c', ...where]);
    expect(twice).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--labels must have each NAME once'),
    });
  });

  test.each([
    ['user', '--labels must be NAME=VALUE, such as user=u-1'],
    ['=u-1', '--labels must be NAME=VALUE, such as user=u-1'],
    ['us er=u-1', 'labels must have names of 1 to 64'],
  ])('list rejects --labels %s in one line', async (label, message) => {
    for (const run of [
      runHere(['list', '--labels', label, ...where]),
      runHere(['list', '--labels', label], { env }),
    ]) {
      const { exitCode, stdout, stderr } = await run;
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^colloquy: [^\n]+\n$/);
      expect(stderr).toContain(message);
    }
  });

  test('inspect shows labels and the lease holder', async () => {
    const id = await create({ user: 'u-1', note: HOSTILE });
    const lease = (await sessions.lease(id, { holder: 'worker-1', seconds: 60 }))._unsafeUnwrap();
    const { stdout } = await runHere(['inspect', id, ...where]);
    expect(stdout).toContain(
      `Leased by worker-1 until ${lease.until}, fencing token ${lease.fencingToken}\n`,
    );
    expect(stdout).toContain('Labels    note=a\\nTERMINATED\\u{1b}[2J\n          user=u-1\n');
    const json = await runHere(['inspect', '--json', id, ...where]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      labels: { user: 'u-1', note: HOSTILE },
      lease,
    });
  });

  test('inspect shows when a worker may claim the session', async () => {
    const id = await create();
    (await sessions.wake(id))._unsafeUnwrap();
    const { work } = (await sessions.get(id))._unsafeUnwrap();
    const waiting = await runHere(['inspect', id, ...where]);
    expect(waiting.stdout).toContain(`Work      waiting since ${work?.since}\n`);
    const json = await runHere(['inspect', '--json', id, ...where]);
    expect(JSON.parse(json.stdout)).toMatchObject({ work });
  });

  test('inspect omits missing or hidden labels and leases', async () => {
    const id = await create();
    const labelled = await create({ user: 'u-1' });
    for (const run of [
      runHere(['inspect', id, ...where]),
      runHere(['inspect', labelled], { env }),
    ]) {
      expect((await run).stdout).not.toMatch(/^(Leased by|Work|Labels)/m);
    }
    const json = await runHere(['inspect', '--json', id, ...where]);
    expect(JSON.parse(json.stdout)).not.toHaveProperty('labels');
    expect(JSON.parse(json.stdout)).not.toHaveProperty('lease');
  });
});
