import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { SessionService } from '../../src/index.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { runExample, runLine, stopAll } from './run-example.js';

afterAll(stopAll);

/** Each process compiles what it runs. */
const BUSY_MACHINE = { timeout: 90_000 };

describeWithRedis('the worker example', ({ url }) => {
  const settings = (name: string) => ({ REDIS_URL: url, PREFIX: `example-${name}-${process.pid}` });

  test('a caller talks over HTTP with a worker in another process', BUSY_MACHINE, async () => {
    const { exitCode, stdout, stderr } = await runExample('worker', settings('talk')).finished;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const said = stdout.split('\n').filter((line) => /^\[caller] (user|assistant)/.test(line));
    expect(said).toEqual([
      '[caller] user: Good morning.',
      '[caller] assistant: You said: Good morning.',
      '[caller] user: What is 6 times 7?',
      '[caller] assistant: You said: What is 6 times 7?',
    ]);
    expect(stdout).toMatch(/\[worker] \S+ has ended: terminated/);
    expect(stdout).toContain('[worker] stopped');
    expect(stdout).toContain('[http] stopped');
  });

  test('a worker that stops puts its sessions down, and another takes them up', BUSY_MACHINE, async () => {
    const env = settings('handover');
    const client = new Redis(url);
    const store = new RedisSessionStore({ client, prefix: env.PREFIX, events: true, statusIndex: true });
    const sessions = new SessionService({ store, tenant: 'acme' });
    const startWorker = () => runLine('node --import tsx examples/worker/worker.ts', env);
    const created = await sessions.create({ face: 'ada', profile: 'tutor' });
    const { id } = created._unsafeUnwrap();
    const say = async (content: string) => (await sessions.append(id, [{ role: 'user', content }]))._unsafeUnwrap();
    const untilAnswered = async () => {
      for await (const item of sessions.watch(id)) {
        item._unsafeUnwrap();
        const { history } = (await sessions.get(id))._unsafeUnwrap();
        if (history.at(-1)?.role === 'assistant') return history.map(({ content }) => content);
      }
      throw new Error('the session has ended');
    };

    const first = startWorker();
    await first.printed(/is held by/);
    await say('Hello.');
    await untilAnswered();
    expect(await first.stop()).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await sessions.get(id))._unsafeUnwrap().status).toBe('PAUSED');

    await say('Is anybody there?');
    const second = startWorker();
    const answered = await untilAnswered();
    expect(answered).toEqual(['Hello.', 'You said: Hello.', 'Is anybody there?', 'You said: Is anybody there?']);
    await sessions.terminate(id);
    await second.printed(/has ended: terminated/);
    expect(await second.stop('SIGINT')).toMatchObject({ exitCode: 0, stderr: '' });
    await client.quit();
  });
});
