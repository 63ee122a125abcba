import { afterEach, describe, expect, test, vi } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { writeScripts } from '../../../adapters/redis/write-scripts.js';
import { errorOf } from '../../../src/testing/answers.js';
import {
  begin,
  change,
  key,
  made,
  move,
  putOf,
  remove,
  said,
} from '../../../src/testing/commits.js';
import { keyOf, live, NOON, operationOf, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { openClient } from '../../support/redis-clients.js';
import { openAppend, openAppendOf } from '../../support/redis-commits.js';

const MINUTE = 60_000;

const state = live('ACTIVE', { deadline: NOON + MINUTE });

let prefixes = 0;

describeWithRedis("a machine clock that differs from the Redis server's", ({ port }) => {
  afterEach(() => vi.useRealTimers());

  const open = async () => {
    prefixes += 1;
    const prefix = `late-calls-${process.pid}-${prefixes}`;
    const client = openClient('ioredis 5', { port });
    const sent: (readonly unknown[])[] = [];
    const seen = intercepting(client, (name, args, run) => {
      if (name.startsWith('eval')) sent.push(args);
      return run();
    });
    const store = new RedisSessionStore({ client: seen, prefix, events: true });
    const others = new RedisSessionStore({ client, prefix, events: true });
    const eventsCount = () => client.call('XLEN', `${prefix}:{0}:events`);
    await begin(others, key, { state });
    return { store, others, client, sent, eventsCount, prefix };
  };

  const setClock = (offsetMs: number): void => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + offsetMs);
  };

  describe.each([-60 * MINUTE, -5 * MINUTE, -5000, 5000, 5 * MINUTE, 60 * MINUTE])(
    '%i ms apart',
    (offsetMs) => {
      test('applies every change once, and sends only the first change twice', async () => {
        const { store, others, sent, eventsCount } = await open();
        await openAppend(others, key, ['before']);
        setClock(offsetMs);
        await openAppend(store, key, ['first']);
        expect(sent).toHaveLength(2);
        const second = openAppendOf(key, ['second'], { operation: operationOf('op') });
        const position = await made(store, second);
        expect(await change(store, second)).toEqual({ outcome: 'repeated', position });
        await made(store, putOf(key, live('PAUSED', { revision: 2 }), state));
        const two = keyOf('two');
        await begin(store, two, { state: live('IDLE', { deadline: NOON }) });
        expect(await move(store, two, NOON, NOON - 1)).toHaveProperty('outcome', 'made');
        expect(await remove(store, two)).toEqual({ outcome: 'made' });
        expect(sent.length).toBeLessThan(12);
        expect(await said(others, key)).toEqual(['before', 'first', 'second']);
        expect(await eventsCount()).toBe(7);
      });

      test('still recognises a call that arrives a second time', async () => {
        const { store, others, client, sent, eventsCount } = await open();
        setClock(offsetMs);
        const position = await openAppend(store, key, ['mine']);
        const [sha1, count, ...rest] = sent.at(-1) ?? [];
        expect(sha1).toBe(writeScripts.append.sha1);
        // Sends the call again, as if it had been delayed in the network.
        const again = await client.call('EVALSHA', ...[sha1, count, ...rest].map(String));
        expect(again).toBe(`made ${position}`);
        expect([await said(others, key), await eventsCount()]).toEqual([['mine'], 2]);
      });
    },
  );

  test('sends no call twice while the clocks agree', async () => {
    const { store, sent, others } = await open();
    await openAppend(others, key, ['before']);
    await openAppend(store, key, ['first']);
    await openAppend(store, key, ['second']);
    expect(sent).toHaveLength(2);
  });

  test('rejects a call that arrives after its time, even if its write marker is gone', async () => {
    const { store, others, client, sent, eventsCount } = await open();
    await openAppend(store, key, ['mine']);
    const [, count = '', write = '', ...rest] = (sent.at(-1) ?? []).map(String);
    await client.call('DEL', write);
    // The time until which the server accepts the call.
    const place = Number(count) - 1;
    expect(Number(rest[place])).toBeGreaterThan(Date.now());
    const late = rest.with(place, String(Date.now() - 1));
    const reply = await client.call('EVALSHA', writeScripts.append.sha1, count, write, ...late);
    expect(reply).toMatch(/^late \d+$/);
    expect([await said(others, key), await eventsCount()]).toEqual([['mine'], 2]);
  });

  test('reports a possibly forgotten call as unknown if the clock is set, and then continues', async () => {
    const { store, others } = await open();
    await openAppend(store, key, ['one']);
    setClock(-10 * MINUTE);
    expect(await errorOf(store.change(openAppendOf(key, ['two'])))).toMatchObject({
      type: 'store_unavailable',
      outcome: 'unknown',
    });
    await openAppend(store, key, ['three']);
    vi.useRealTimers();
    await openAppend(store, key, ['four']);
    expect(await said(others, key)).toEqual(['one', 'three', 'four']);
  });

  test('applies many concurrent calls exactly once each', async () => {
    for (const offsetMs of [-10 * MINUTE, 10 * MINUTE]) {
      const { store, others } = await open();
      setClock(offsetMs);
      await Promise.all(upTo(20).map((at) => openAppend(store, key, [`${at}`])));
      vi.useRealTimers();
      expect(new Set(await said(others, key))).toEqual(new Set(upTo(20).map(String)));
      expect(await said(others, key)).toHaveLength(20);
    }
  });

  test('leaves a call not_applied at its timeout if the server always rejects it as late', async () => {
    const { others, client, prefix } = await open();
    const refusing = intercepting(client, async (name, _, run) =>
      name.startsWith('eval') ? 'late 1' : run(),
    );
    const store = new RedisSessionStore({ client: refusing, prefix, timeoutMs: 20 });
    expect(await errorOf(store.change(openAppendOf(key, ['mine'])))).toMatchObject({
      type: 'store_unavailable',
      outcome: 'not_applied',
    });
    expect(await said(others, key)).toEqual([]);
  });
});
