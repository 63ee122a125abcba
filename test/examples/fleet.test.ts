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

  test('connects a caller over HTTP with a worker in another process', async () => {
    const { exitCode, stdout, stderr } = await runExample('fleet', settings('talk')).finished;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const said = stdout.split('\n').filter((line) => /^\[caller] (user|assistant)/.test(line));
    expect(said).toEqual([
      '[caller] user: Good morning.',
      '[caller] assistant: You said: Good morning.',
      '[caller] user: What is 6 times 7?',
      '[caller] assistant: You said: What is 6 times 7?',
    ]);
    expect(stdout.match(/\[worker] answers \S+, attempt 1/g)).toHaveLength(2);
    expect(stdout).toContain('[worker] stopped');
    expect(stdout).toContain('[http] stopped');
  });

  /** A session, and workers that wait for its messages. */
  const openConversation = async (name: string) => {
    const env = { ...settings(name), LEASE_SECONDS: '2' };
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
    const { id } = await sessions.orThrow.create({ face: 'ada', profile: 'tutor', start: true });
    return {
      sessions,
      id,
      startWorker: async (thinkMs = 0) => {
        const worker = runLine('node --import ./.ci/sources.mjs examples/fleet/worker.ts', {
          ...env,
          THINK_MS: `${thinkMs}`,
        });
        await worker.printed(/^up$/m);
        return worker;
      },
      say: (content: string) => sessions.orThrow.send(id, { content }),
      untilAnswered: async (): Promise<readonly string[]> => {
        for await (const item of sessions.watch(id)) {
          item._unsafeUnwrap();
          const { history, inbox } = await sessions.orThrow.get(id);
          if (inbox > 0 || history.at(-1)?.role !== 'assistant') continue;
          return history.map(({ content }) => content);
        }
        throw new Error('the session has ended');
      },
    };
  };
  const conversation = [
    'Hello.',
    'You said: Hello.',
    'Is anybody there?',
    'You said: Is anybody there?',
  ];

  test('lets a stopping worker finish its answer, and another worker answer the next message', async () => {
    const { sessions, id, startWorker, say, untilAnswered } = await openConversation('handover');
    const first = await startWorker(500);
    await say('Hello.');
    await first.printed(/answers \S+, attempt 1/);
    expect(await first.stop()).toMatchObject({ exitCode: 0, stderr: '' });
    const left = await sessions.orThrow.get(id);
    expect([left.history.length, left.lease, left.work]).toEqual([2, undefined, undefined]);

    await say('Is anybody there?');
    const second = await startWorker();
    expect(await untilAnswered()).toEqual(conversation);
    expect(await second.stop('SIGINT')).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('lets a worker answer in the next turn what the user says during a turn', async () => {
    const { sessions, id, startWorker, say, untilAnswered } = await openConversation('more');
    const worker = await startWorker(500);
    await say('Hello.');
    await worker.printed(/answers/);
    await say('Is anybody there?');
    expect(await untilAnswered()).toEqual(conversation);
    expect(await worker.stop()).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await sessions.orThrow.get(id)).historyCount).toBe(4);
  });

  // Simulations with thousands of crashes and pauses test the engine; this tests the example.
  const ifLong = moreIfLong(test.skip, test);
  ifLong(
    'a worker is killed while it thinks, and another answers once the lease has run out',
    async () => {
      const { sessions, id, startWorker, say, untilAnswered } = await openConversation('killed');
      const first = await startWorker(PATIENT_MS);
      await say('Hello.');
      await first.printed(/answers \S+, attempt 1/);
      const second = await startWorker();
      await first.stop('SIGKILL');
      expect((await sessions.orThrow.get(id)).historyCount).toBe(1);

      await second.printed(/answers \S+, attempt 2/);
      await untilAnswered();
      await say('Is anybody there?');
      await second.printed(/answers \S+, attempt 1/);
      expect(await untilAnswered()).toEqual(conversation);
      expect(await second.stop()).toMatchObject({ exitCode: 0, stderr: '' });
    },
  );

  ifLong(
    'a worker that slept over the end of its lease leaves the session to the next',
    async () => {
      const { id, startWorker, say, untilAnswered } = await openConversation('slept');
      const first = await startWorker(PATIENT_MS);
      await say('Hello.');
      await first.printed(/answers/);
      first.signal('SIGSTOP');
      const second = await startWorker();
      await second.printed(new RegExp(`answers ${id}, attempt 2`));
      await untilAnswered();
      first.signal('SIGCONT');
      // Without its lease it stops thinking, however long its answer would take.
      const { exitCode, stderr } = await first.stop();
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining('lease_lost')]);
      await say('Is anybody there?');
      expect(await untilAnswered()).toEqual(conversation);
      expect(await second.stop()).toMatchObject({ exitCode: 0, stderr: '' });
    },
  );
});
