import { expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { ManualClock } from '../../support/manual-clock.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openClient } from '../../support/redis-clients.js';
import { commandsOf } from '../../support/redis-commands.js';
import { startRedis } from '../../support/redis-server.js';
import { ada, okOf } from '../../support/sessions.js';

const SESSIONS = 1500;

/** How many sessions the server may examine before other clients get their turn. */
const AT_ONCE = 300;

describeWithRedis('a label search in Redis', () => {
  test('lets other clients run after a few hundred sessions, and finds all sessions', async () => {
    // A separate server, so that only the commands of this test are counted.
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const { port } = server;
    let isCounted = false;
    const examined: number[] = [];
    const count = async () => {
      const { getrange = 0, zscore = 0 } = await commandsOf(port);
      return Math.max(getrange, zscore);
    };
    const client = intercepting(openClient('ioredis 5', { port }), async (name, _, run) => {
      if (!isCounted || !name.startsWith('eval')) return run();
      const before = await count();
      const reply = await run();
      examined.push((await count()) - before);
      return reply;
    });
    const clock = new ManualClock();
    const store = new RedisSessionStore({ client, timeoutMs: PATIENT_MS });
    const sessions = new SessionService({ store, clock });
    const ids: string[] = [];
    const label = { user: 'u-1', channel: 'web' };
    for (let at = 0; at < SESSIONS; at += 1) {
      // Many have the same millisecond, longer than one part.
      if (at % 500 === 0) clock.pass(1);
      ids.push((await okOf(sessions.create({ ...ada, labels: label }))).id);
    }
    clock.pass(1);
    await okOf(sessions.start(ids[0] ?? ''));
    isCounted = true;
    const { user } = label;
    const started = await okOf(sessions.list({ labels: { user }, status: 'ACTIVE' }));
    expect([started.total, started.sessions.map(({ id }) => id)]).toEqual([1, [ids[0]]]);
    const updated = await okOf(sessions.list({ labels: { user }, order: 'updated', limit: 1 }));
    expect([updated.total, updated.sessions.map(({ id }) => id)]).toEqual([SESSIONS, [ids[0]]]);
    const both = await okOf(sessions.list({ labels: label, page: 15, limit: 100 }));
    expect([both.total, both.sessions.length, both.nextCursor]).toEqual([SESSIONS, 100, undefined]);
    const all = await okOf(sessions.list({ order: 'updated', limit: 1 }));
    expect([all.total, all.sessions.map(({ id }) => id)]).toEqual([SESSIONS, [ids[0]]]);
    const live = await okOf(
      sessions.list({ order: 'updated', status: ['ACTIVE', 'IDLE'], limit: 2 }),
    );
    expect([live.total, live.sessions[0]?.id, live.sessions.length]).toEqual([SESSIONS, ids[0], 2]);
    expect(examined.length).toBeGreaterThan((5 * SESSIONS) / AT_ONCE);
    expect(Math.max(...examined)).toBeLessThanOrEqual(AT_ONCE);
  });
});
