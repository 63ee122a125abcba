import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { type RedisClient, RedisSessionStore } from '../../../adapters/redis/index.js';
import { errorOf } from '../../../src/testing/answers.js';
import { begin, key, made, remove, said } from '../../../src/testing/commits.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openAppend, openAppendOf } from '../../support/redis-commits.js';
import { isWrite } from '../../support/redis-writes.js';

const mine = openAppendOf(key, ['mine']);

/** What happens to one arrival of the append script; `run` lets the server run it. */
type Arrival = (run: () => Promise<unknown>) => Promise<unknown>;

/**
 * A client whose appends arrive as `arrivals` say; the last of them applies to all further appends.
 */
const appending = (client: RedisClient, arrivals: readonly Arrival[]): RedisClient => {
  let count = 0;
  return intercepting(client, (name, args, run) => {
    if (name !== 'evalsha' || !isWrite(args[0])) return run();
    const arrival = arrivals[Math.min(count, arrivals.length - 1)];
    count += 1;
    return arrival === undefined ? run() : arrival(run);
  });
};

const loseReply: Arrival = async (run) => {
  await run();
  throw new Error('Connection is closed.');
};
const refuse: Arrival = () =>
  Promise.reject(new Error("READONLY You can't write against a read only replica."));

let prefixes = 0;

describeWithRedis('an append that the Redis store retries', ({ port }) => {
  const client = new Redis({ port, lazyConnect: true });
  afterAll(() => client.quit());

  const open = async (...arrivals: readonly Arrival[]) => {
    prefixes += 1;
    const prefix = `retried-${process.pid}-${prefixes}`;
    const others = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
    await begin(others, key);
    // The script is known to the server from here on.
    await openAppend(others, key, ['before']);
    const sending = appending(client, arrivals);
    const storeWith = (timeoutMs: number) =>
      new RedisSessionStore({ client: sending, prefix, timeoutMs });
    // A store retries what is refused until its timeout.
    return { store: storeWith(PATIENT_MS), hasty: storeWith(200), others };
  };

  test('stays unknown if the retry is refused, since the first attempt may have been applied', async () => {
    const { hasty, others } = await open(loseReply, refuse);
    expect(await errorOf(hasty.change(mine))).toMatchObject({
      type: 'store_unavailable',
      outcome: 'unknown',
    });
    expect(await said(others, key)).toEqual(['before', 'mine']);
  });

  test('is not_applied if the server refuses every attempt', async () => {
    const { hasty, others } = await open(refuse);
    expect(await errorOf(hasty.change(mine))).toMatchObject({
      type: 'store_unavailable',
      outcome: 'not_applied',
    });
    expect(await said(others, key)).toEqual(['before']);
  });

  describe('to a session that is deleted and created again before the retry', () => {
    const recreate = async (others: RedisSessionStore) => {
      await remove(others, key);
      await begin(others, key);
    };

    test('succeeds without reaching the new session', async () => {
      const { store, others } = await open(
        (run) =>
          loseReply(run).catch(async (cause: unknown) =>
            recreate(others).then(() => Promise.reject(cause)),
          ),
        (run) => run(),
      );
      await made(store, mine);
      expect(await said(others, key)).toEqual([]);
    });

    test('is added to the new session if it did not arrive before', async () => {
      const { store, others } = await open(
        async () => recreate(others).then(() => Promise.reject(new Error('Connection is closed.'))),
        (run) => run(),
      );
      await made(store, mine);
      expect(await said(others, key)).toEqual(['mine']);
    });
  });
});
