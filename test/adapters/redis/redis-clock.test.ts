import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { RedisClock, RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { ManualClock } from '../../support/manual-clock.js';
import { PATIENT_MS } from '../../support/patience.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { openProxy } from '../../support/tcp-proxy.js';

const HOUR = 60 * 60 * 1000;
/** What a busy machine may take to ask for the time, and far from an hour. */
const MINUTE = 60 * 1000;

/** The clock of a machine that is this number of milliseconds ahead. */
const ahead = (ms: number) => ({ now: () => Date.now() + ms });

describeWithRedis('the clock of a Redis server', ({ port }) => {
  describe.each(clientVersions)('%s', (version) => {
    const open = (ms: number) =>
      new RedisClock({
        client: openClient(version, { port }),
        clock: ahead(ms),
        timeoutMs: PATIENT_MS,
      });

    test.each([HOUR, -HOUR, 0])('puts right a machine that is %s ms ahead', async (ms) => {
      const clock = open(ms);
      expect(Math.abs(clock.now() - Date.now() - ms)).toBeLessThan(MINUTE);
      const { offsetMs, uncertaintyMs } = (await clock.sync())._unsafeUnwrap();
      expect(Math.abs(offsetMs + ms)).toBeLessThan(MINUTE);
      expect(uncertaintyMs).toBeGreaterThan(0);
      expect(Math.abs(clock.now() - Date.now())).toBeLessThan(MINUTE);
    });

    test('is one for processes an hour apart: none ends a session early, or sees it ended', async () => {
      const client = openClient(version, { port });
      const serviceOf = async (ms: number) => {
        const clock = new RedisClock({ client, clock: ahead(ms), timeoutMs: PATIENT_MS });
        await clock.sync();
        const store = new RedisSessionStore({
          client,
          prefix: `clock-${process.pid}-${version}`,
          timeoutMs: PATIENT_MS,
        });
        return new SessionService({ store, clock });
      };
      const [fast, slow] = [await serviceOf(HOUR), await serviceOf(-HOUR)];
      const { id } = (
        await slow.create({ face: 'ada', profile: 'tutor', timeLimit: 600 })
      )._unsafeUnwrap();
      await slow.start(id);
      expect((await fast.get(id))._unsafeUnwrap().status).toBe('ACTIVE');
      expect((await fast.append(id, [{ role: 'user', content: 'hello' }])).isOk()).toBe(true);
      expect((await fast.pause(id))._unsafeUnwrap().duration).toBeLessThan(60);
      expect((await slow.resume(id))._unsafeUnwrap().status).toBe('ACTIVE');
    });
  });

  test('has the timers of the clock that it corrects, if that has its own', () => {
    const client = openClient('ioredis 5', { port });
    expect(new RedisClock({ client, clock: ahead(0) }).after).toBeUndefined();
    const clock = new ManualClock();
    const done = vi.fn();
    new RedisClock({ client, clock }).after?.(1000, done);
    clock.pass(999);
    expect(done).not.toHaveBeenCalled();
    clock.pass(1);
    expect(done).toHaveBeenCalledTimes(1);
  });

  test('takes the offset of the fastest reply, in the middle between question and answer', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let machineMs = 1_000_000;
    const pass = (ms: number) => {
      machineMs += ms;
      vi.advanceTimersByTime(ms);
    };
    const ways: (readonly [number, number])[] = [
      [400, 0],
      [10, 10],
      [0, 300],
    ];
    const client = intercepting(openClient('ioredis 5', { port }), async () => {
      const [there, back] = ways.shift() ?? [0, 0];
      pass(there);
      const serverMs = machineMs + 5000;
      pass(back);
      return [Math.floor(serverMs / 1000), (serverMs % 1000) * 1000];
    });
    const clock = new RedisClock({
      client,
      clock: { now: () => machineMs },
      timeoutMs: PATIENT_MS,
    });
    expect((await clock.sync())._unsafeUnwrap()).toEqual({ offsetMs: 5000, uncertaintyMs: 10 });
    expect(clock.now()).toBe(machineMs + 5000);
  });

  test('uses the last known offset while the server does not answer', async () => {
    const proxy = await openProxy(port);
    const clock = new RedisClock({
      client: openClient('ioredis 5', { port: proxy.port }),
      clock: ahead(HOUR),
      timeoutMs: PATIENT_MS,
    });
    expect((await clock.sync()).isOk()).toBe(true);
    proxy.silence();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const silent = clock.sync();
    await vi.advanceTimersByTimeAsync(PATIENT_MS);
    expect((await silent)._unsafeUnwrapErr()).toMatchObject({ type: 'store_unavailable' });
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(MINUTE);
  });
});
