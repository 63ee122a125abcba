import { Redis } from 'ioredis';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { SessionService } from '../../src/index.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { runExample, runLine, stopAll } from './run-example.js';

afterAll(stopAll);

describeWithRedis('the fleet example', ({ url }) => {
  const settings = (name: string) => ({ REDIS_URL: url, PREFIX: `example-${name}-${process.pid}` });

  test('a caller talks over HTTP with a worker in another process', async () => {
    const { exitCode, stdout, stderr } = await runExample('fleet', settings('talk')).finished;
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

  /** A session, and workers that look for one. */
  const openConversation = async (name: string, leaseSeconds = '15') => {
    const env = { ...settings(name), LEASE_SECONDS: leaseSeconds };
    const client = new Redis(url);
    onTestFinished(async () => {
      await client.quit();
    });
    const store = new RedisSessionStore({
      client,
      prefix: env.PREFIX,
      events: true,
      timeoutMs: PATIENT_MS,
    });
    const sessions = new SessionService({ store, tenant: 'acme' });
    const created = await sessions.create({ face: 'ada', profile: 'tutor', wake: true });
    const { id } = created._unsafeUnwrap();
    return {
      sessions,
      id,
      startWorker: () => runLine('node --import ./.ci/sources.mjs examples/fleet/worker.ts', env),
      say: async (content: string): Promise<void> => {
        (await sessions.append(id, [{ role: 'user', content }]))._unsafeUnwrap();
      },
      untilAnswered: async (): Promise<readonly string[]> => {
        for await (const item of sessions.watch(id)) {
          item._unsafeUnwrap();
          const { history } = (await sessions.get(id))._unsafeUnwrap();
          if (history.at(-1)?.role === 'assistant') return history.map(({ content }) => content);
        }
        throw new Error('the session has ended');
      },
    };
  };
  const conversation = ['Hello.', 'You said: Hello.', 'Is anybody there?', 'You said: Is anybody there?'];

  test('a worker that stops puts its sessions down, and another takes them up', async () => {
    const { sessions, id, startWorker, say, untilAnswered } = await openConversation('handover');
    const first = startWorker();
    await first.printed(/is leased by/);
    await say('Hello.');
    await untilAnswered();
    expect(await first.stop()).toMatchObject({ exitCode: 0, stderr: '' });
    const left = (await sessions.get(id))._unsafeUnwrap();
    expect([left.status, left.lease]).toEqual(['PAUSED', undefined]);

    await say('Is anybody there?');
    const second = startWorker();
    expect(await untilAnswered()).toEqual(conversation);
    await sessions.terminate(id);
    await second.printed(/has ended: terminated/);
    expect(await second.stop('SIGINT')).toMatchObject({ exitCode: 0, stderr: '' });
  });

  // Simulations with thousands of crashes and pauses show it of the engine: here it is the example.
  const ifLong = moreIfLong(test.skip, test);
  ifLong('a worker is killed, and another finishes the conversation once the lease has run out', async () => {
    const { sessions, id, startWorker, say, untilAnswered } = await openConversation('killed', '2');
    const first = startWorker();
    await first.printed(/is leased by/);
    const second = startWorker();
    await second.printed(/is up/);
    await say('Hello.');
    await untilAnswered();
    await first.stop('SIGKILL');
    expect((await sessions.get(id))._unsafeUnwrap().status).toBe('ACTIVE');

    await say('Is anybody there?');
    expect(await untilAnswered()).toEqual(conversation);
    await second.printed(/is leased by/);
    await sessions.terminate(id);
    await second.printed(/has ended: terminated/);
    expect(await second.stop()).toMatchObject({ exitCode: 0, stderr: '' });
  });

  ifLong('a worker that slept over the end of its lease leaves the session to the next', async () => {
    const { id, startWorker, say, untilAnswered } = await openConversation('slept', '2');
    const first = startWorker();
    await first.printed(/is leased by/);
    await say('Hello.');
    await untilAnswered();
    first.signal('SIGSTOP');
    const second = startWorker();
    await second.printed(/is leased by/);
    first.signal('SIGCONT');
    await first.printed(new RegExp(`${id} was lost`));
    await say('Is anybody there?');
    expect(await untilAnswered()).toEqual(conversation);
    for (const worker of [first, second]) expect(await worker.stop()).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
