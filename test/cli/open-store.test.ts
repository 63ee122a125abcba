import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf } from '../readme/documents.js';
import { blocksIn } from '../readme/samples.js';
import { buildCommandLine, type CommandLine } from '../support/command-line.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';

/** What stands behind `user colloquy` in the document on Redis. */
const documentedRights = (): string[] => {
  const text = blocksIn(documentOf('docs/redis.md'), 'conf')
    .map(({ code }) => code.replaceAll('\\\n', ' '))
    .join('\n');
  return /^user colloquy (.*)$/m.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
};

describeWithRedis('as a user with the documented rights', () => {
  let colloquy: CommandLine;
  let server: RedisServer;
  let admin: Redis;
  let url: string;

  beforeAll(async () => {
    [colloquy, server] = await Promise.all([buildCommandLine(), startRedis()]);
    admin = new Redis(server.port);
    await admin.call('ACL', 'SETUSER', 'colloquy', ...documentedRights());
    url = `redis://colloquy:change-me@127.0.0.1:${server.port}`;
  }, 60_000);
  afterAll(async () => {
    admin.disconnect();
    await Promise.all([server.stop(), colloquy.remove()]);
  });

  test('every command works, and Redis refuses nothing', async () => {
    const env = { REDIS_URL: url, PORT: '0', COLLOQUY_API_KEYS: 'default:key' };
    const input = '{"id":"one","turns":[{"role":"user","content":"Hello"}]}';
    const replayed = await colloquy.run(['replay', '--redis', 'env', '--tenant', 'default', '--keep'], { env, input });
    expect(replayed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('no difference') });
    const serving = await colloquy.start(['serve', '--events'], /Ctrl-C stops it/, env);
    const listed = await colloquy.run(['list', '--json'], { env });
    const { id } = Object(JSON.parse(listed.stdout));
    expect((await colloquy.run(['inspect', id], { env })).stdout).toContain('Hello');
    expect(await serving.signal('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await admin.call('ACL', 'LOG')).toEqual([]);
  });

  test('a wrong password and a missing database are reported in one line', async () => {
    for (const wrong of [url.replace('change-me', 'hunter2'), `redis://127.0.0.1:${server.port}/99`]) {
      const { exitCode, stderr } = await colloquy.run(['list'], { env: { REDIS_URL: wrong } });
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^colloquy: Redis at [\d.:]+: [^\n]+\n$/)]);
      expect(stderr).not.toContain('hunter2');
    }
  });
});
