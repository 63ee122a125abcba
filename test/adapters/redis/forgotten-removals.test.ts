import { expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { createSweeper, SessionService } from '../../../src/index.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { ManualClock } from '../../support/manual-clock.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openClient } from '../../support/redis-clients.js';
import { ada, okOf } from '../../support/sessions.js';

const HOUR = 60 * 60 * 1000;

describeWithRedis('what a deletion leaves', ({ port }) => {
  const open = (prefix: string) => {
    const client = openClient('ioredis 5', { port });
    const clock = new ManualClock();
    const sessions = new SessionService({
      store: new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS }),
      clock,
    });
    const keysLeft = async () => (await client.scan?.('0', 'MATCH', `${prefix}:*`, 'COUNT', 1_000_000))?.[1].toSorted();
    return { client, clock, sessions, keysLeft };
  };

  test('is gone after an hour and one sweep, all of it, however small the steps of the sweeper are', async () => {
    const { clock, sessions, keysLeft } = open(`forgotten-${process.pid}`);
    for (let count = 0; count < 130; count += 1) {
      await okOf(sessions.delete((await okOf(sessions.create(ada))).id));
    }
    expect(await keysLeft()).toHaveLength(131);
    clock.pass(HOUR);
    await okOf(createSweeper(sessions, { batch: 10 }).sweepOnce());
    expect(await keysLeft()).toEqual([]);
  });

  test('is kept if the session was created and deleted again within the hour', async () => {
    const { clock, sessions, keysLeft } = open(`again-${process.pid}`);
    const keyed = { ...ada, idempotencyKey: 'lesson' };
    const { id } = await okOf(sessions.create(keyed));
    await okOf(sessions.delete(id));
    clock.pass(HOUR);
    await okOf(sessions.create(keyed));
    await okOf(sessions.delete(id));
    await okOf(createSweeper(sessions).sweepOnce());
    expect(await keysLeft()).toHaveLength(2);
    clock.pass(HOUR);
    await okOf(createSweeper(sessions).sweepOnce());
    expect(await keysLeft()).toEqual([]);
  });

  test('is forgotten of the earlier session while one of the same key lives', async () => {
    const { client, clock, sessions } = open(`lives-${process.pid}`);
    const keyed = { ...ada, idempotencyKey: 'lesson' };
    const { id } = await okOf(sessions.create(keyed));
    await okOf(sessions.delete(id));
    await okOf(sessions.create(keyed));
    clock.pass(HOUR);
    await okOf(createSweeper(sessions).sweepOnce());
    expect(await client.call('EXISTS', `lives-${process.pid}:{0}:removals`)).toBe(0);
    expect((await okOf(sessions.get(id))).status).toBe('IDLE');
  });
});
