import { expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { repeatUntil } from '../../../src/testing/answers.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { ManualClock } from '../../support/manual-clock.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openClient, type TestClient } from '../../support/redis-clients.js';
import { startRedis } from '../../support/redis-server.js';
import { ada, okOf } from '../../support/sessions.js';
import { effort, record } from '../support/effort.js';

const DELETES = effort(800, 200_000);
const AT_ONCE = 64;
const TENANTS = 10;
const MIB = 1024 * 1024;
const PROMISE = 'what deletions leave expires';

/** Does what time would do. Returns the number of keys that it would not have taken. */
const EXPIRE = `local lasting = 0
for _, key in ipairs(redis.call('KEYS', '*')) do
  -- The settings of the deployment stay.
  if redis.call('PTTL', key) <= 0 and not string.find(key, ':deployment$') then lasting = lasting + 1 end
  redis.call('DEL', key)
end
return lasting`;

/** Bytes that the server has given to data, scripts and clients. */
const usedBy = async (client: TestClient): Promise<number> =>
  Number(/used_memory:(\d+)/.exec(String(await client.call('INFO', 'memory')))?.[1]);

describeWithRedis('a Redis server on which very many sessions are deleted', () => {
  test(
    'keeps only keys that expire, and then returns to its initial memory',
    async () => {
      const server = await startRedis();
      onTestFinished(() => server.stop());
      const clock = new ManualClock();
      const control = openClient('ioredis 5', { port: server.port });
      const [one, two] = (['ioredis 5', 'ioredis 6'] as const).map((version) => {
        const client = openClient(version, { port: server.port });
        return new SessionService({
          clock,
          store: new RedisSessionStore({ client, timeoutMs: PATIENT_MS }),
        });
      });
      if (one === undefined || two === undefined) throw new Error('no services');
      let lives = 0;
      const live = async (): Promise<void> => {
        lives += 1;
        const tenant = `t${lives % TENANTS}`;
        const [mine, theirs] = [one.forTenant(tenant), two.forTenant(tenant)];
        // Some ids come again and again, the others once.
        const key = lives % 10 === 0 ? `again ${lives % 100}` : `once ${lives}`;
        const { id } = await okOf(mine.create({ ...ada, timeLimit: 600, idempotencyKey: key }));
        // Somebody else may be at the end of a session that comes again.
        await theirs.start(id);
        await mine.append(id, [{ role: 'user', content: 'hello' }], {
          operationId: `turn-${lives}`,
        });
        await okOf(theirs.delete(id));
      };
      const liveMany = async (until: number): Promise<void> => {
        const work = async () => {
          while (lives < until) await live();
        };
        await Promise.all(Array.from({ length: AT_ONCE }, work));
      };
      const expire = async (): Promise<void> => {
        expect(await control.call('EVAL', EXPIRE, '0')).toBe(0);
      };

      // Scripts and connections are there after the first sessions.
      await liveMany(AT_ONCE);
      await expire();
      expect(await control.call('DBSIZE')).toBe(0);
      const before = await usedBy(control);
      await liveMany(AT_ONCE + DELETES);
      const most = await usedBy(control);
      const remembered = Number(await control.call('DBSIZE'));
      await expire();
      expect(await control.call('DBSIZE')).toBe(0);
      // Tables that have become too large are given back a little later.
      let after = await usedBy(control);
      await repeatUntil('the memory is free again', 200, async () => {
        if (after - before < MIB) return true;
        await new Promise((resolve) => setTimeout(resolve, 25));
        after = await usedBy(control);
        return false;
      });
      record({ promise: PROMISE, figure: 'deletes', value: DELETES });
      record({ promise: PROMISE, figure: 'keys before they expire', value: remembered });
      record({ promise: PROMISE, figure: 'keys that stay', value: 0, bar: '0' });
      const mib = (bytes: number) => (bytes / MIB).toFixed(2);
      record({
        promise: PROMISE,
        figure: 'memory before they expire, MiB more than at first',
        value: mib(most - before),
      });
      const left = mib(after - before);
      record({
        promise: PROMISE,
        figure: 'memory after it, MiB more than at first',
        value: left,
        bar: 'under 1',
      });
    },
    effort(120_000, 600_000),
  );
});
