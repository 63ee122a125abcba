import { expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { planRedact } from '../../../src/plan/redact.js';
import { answerOf } from '../../../src/testing/answers.js';
import { append, begin, foundIn, remove, said } from '../../../src/testing/commits.js';
import { eventsAfter, latestPosition } from '../../../src/testing/event-steps.js';
import { keyOf, NOON, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openClient } from '../../support/redis-clients.js';
import { isWrite } from '../../support/redis-writes.js';

const key = keyOf('one');
const COUNT = 12;
const secret = 'x'.repeat(200_000);

let prefixes = 0;

describeWithRedis('a redaction of many large entries in Redis', ({ port }) => {
  /** What happens before each script that writes: its number, from 1. */
  const open = async (beforeWrite: (place: number) => Promise<void> = async () => {}) => {
    prefixes += 1;
    const options = { prefix: `redactions-${process.pid}-${prefixes}`, timeoutMs: PATIENT_MS };
    const client = openClient('ioredis 5', { port });
    const store = new RedisSessionStore({ client, events: true, ...options });
    await begin(store, key);
    for (const _ of upTo(COUNT)) await append(store, key, [secret]);
    const { entries } = await foundIn(store, { limit: COUNT });
    const positions = entries.map(({ position }) => position);
    let writes = 0;
    const seen = intercepting(openClient('ioredis 5', { port }), async (_name, args, run) => {
      if (!isWrite(args[0])) return run();
      writes += 1;
      await beforeWrite(writes);
      return run();
    });
    const redacting = new RedisSessionStore({ client: seen, events: true, ...options });
    const redact = () => redacting.change(planRedact(key, positions, NOON));
    return { store, positions, redact, writes: () => writes };
  };

  const leftIn = async (store: RedisSessionStore): Promise<number | undefined> =>
    (await said(store, key))?.filter((content) => content !== '').length;

  test('takes several scripts, each a change with an event of its positions', async () => {
    const { store, positions, redact, writes } = await open();
    const start = await latestPosition(store);
    expect(await answerOf(redact())).toEqual({ outcome: 'made', position: 0 });
    expect(writes()).toBeGreaterThan(2);
    expect(await leftIn(store)).toBe(0);
    const events = await eventsAfter(store, start);
    expect(events).toHaveLength(writes());
    const told = events.flatMap((event) =>
      event.type === 'session.redacted' ? event.positions : [],
    );
    expect(told).toEqual(positions);
    const before = await answerOf(store.find(key));
    expect(await answerOf(redact())).toEqual({ outcome: 'made', position: 0 });
    expect(await answerOf(store.find(key))).toEqual(before);
  });

  test('is unknown if it is interrupted, and the next redaction completes it', async () => {
    let isOver = false;
    const { store, redact } = await open(async (place) => {
      if (place === 2 && !isOver)
        throw new Error("OOM command not allowed when used memory > 'maxmemory'.");
    });
    expect((await redact())._unsafeUnwrapErr()).toMatchObject({ outcome: 'unknown' });
    expect(await leftIn(store)).toBeGreaterThan(0);
    expect(await leftIn(store)).toBeLessThan(COUNT);
    isOver = true;
    expect(await answerOf(redact())).toEqual({ outcome: 'made', position: 0 });
    expect(await leftIn(store)).toBe(0);
  });

  test('leaves a session alone that took the id in between', async () => {
    const { store, redact } = await open(async (place) => {
      if (place !== 2) return;
      await remove(store, key);
      await begin(store, key);
      for (const _ of upTo(COUNT)) await append(store, key, [secret]);
    });
    expect(await answerOf(redact())).toEqual({ outcome: 'refused', guard: 'present' });
    expect(await leftIn(store)).toBe(COUNT);
  });
});
