import { expect, onTestFinished, test, vi } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/service/session-service.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { openClient } from '../../support/redis-clients.js';
import { errorOf, okOf, startedIn } from '../../support/sessions.js';

const TIMEOUT = 1000;
/** Number of groups of a partition that are under way at the same time. */
const GROUPS = 8;

const settled = async () => {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
};

let prefixes = 0;

describeWithRedis('a Redis write in a queue', ({ port }) => {
  /**
   * A session whose scripts the server gets when the test lets them go, once all groups are under
   * way.
   */
  const open = async () => {
    prefixes += 1;
    const prefix = `queued-writes-${process.pid}-${prefixes}`;
    const held: (() => void)[] = [];
    let isHolding = false;
    const direct = openClient('ioredis 5', { port });
    const client = intercepting(direct, async (name, _, run) => {
      if (isHolding && name.startsWith('evalsha')) await new Promise<void>((go) => held.push(go));
      return run();
    });
    const sessions = new SessionService({
      store: new RedisSessionStore({ client, prefix, timeoutMs: TIMEOUT }),
    });
    const others = new SessionService({ store: new RedisSessionStore({ client: direct, prefix }) });
    const id = await startedIn(sessions);
    const say = (content: string) => sessions.append(id, [{ role: 'user', content }]);
    await okOf(say('first'));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const pass = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      await settled();
    };
    /** Fills all groups with writes whose answers do not come. */
    const fill = async () => {
      isHolding = true;
      for (let group = 0; group < GROUPS; group += 1) {
        void say(`group ${group}`);
        await settled();
      }
    };
    /** Waits until the next group has left, for a server that may take many turns. */
    const underWay = async () => {
      while (held.length < GROUPS) await settled();
    };
    const contents = async () => (await okOf(others.get(id))).history.map(({ content }) => content);
    return { say, pass, fill, held, underWay, contents };
  };

  test('is unknown if it times out during its group, and takes no time from others', async () => {
    const { say, pass, fill, held, underWay, contents } = await open();
    await fill();
    const early = errorOf(say('early'));
    await pass(600);
    const late = okOf(say('late'));
    held.shift()?.();
    await underWay();
    await pass(500);
    expect(await early).toMatchObject({ type: 'store_unavailable', outcome: 'unknown' });
    for (const go of held.splice(0)) go();
    await late;
    expect(await contents()).toEqual(expect.arrayContaining(['early', 'late']));
  });
});
