import { afterEach, describe, expect, test, vi } from 'vitest';
import { writeScripts } from '../../../adapters/redis/write-scripts.js';
import { headOf, keyOf, live, NOON, say, TENANT, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { answerOf, append, errorOf, said } from '../../support/older-port/steps.js';
import { openClient } from '../../support/redis-clients.js';
import { replaceUnread } from '../../support/replace-unread.js';
import { todaysRedisStore } from '../../support/todays-redis-store.js';

const key = keyOf('one');
const MINUTE = 60_000;

let prefixes = 0;

describeWithRedis('the clock of a machine and that of the server', ({ port }) => {
  afterEach(() => vi.useRealTimers());

  const open = () => {
    prefixes += 1;
    const prefix = `late-calls-${process.pid}-${prefixes}`;
    const client = openClient('ioredis 5', { port });
    const sent: (readonly unknown[])[] = [];
    const seen = intercepting(client, (name, args, run) => {
      if (name.startsWith('eval')) sent.push(args);
      return run();
    });
    const store = todaysRedisStore({ client: seen, prefix, events: true });
    const others = todaysRedisStore({ client, prefix, events: true });
    const eventsCount = () => client.call('XLEN', `${prefix}:{0}:events`);
    const insert = () =>
      answerOf(others.insert(TENANT, headOf('one'), live('ACTIVE', { deadline: NOON + MINUTE })));
    return { store, others, client, sent, eventsCount, insert, prefix };
  };

  const setClock = (offsetMs: number): void => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + offsetMs);
  };

  describe.each([-60 * MINUTE, -5 * MINUTE, -5000, 5000, 5 * MINUTE, 60 * MINUTE])(
    '%i ms apart',
    (offsetMs) => {
      test('every change is made, once, and only the first of them is sent twice', async () => {
        const { store, others, sent, eventsCount, insert } = open();
        await insert();
        await append(others, key, ['before']);
        setClock(offsetMs);
        await append(store, key, ['first']);
        expect(sent).toHaveLength(2);
        await append(store, key, ['second'], 'op');
        await append(store, key, ['second'], 'op');
        expect(
          await answerOf(replaceUnread(store.port, key, live('PAUSED', { revision: 2 }))),
        ).toMatchObject({ outcome: 'made' });
        expect(
          await answerOf(store.insert(TENANT, headOf('two'), live('IDLE', { deadline: NOON }))),
        ).toBe('inserted');
        const rescheduling = { from: NOON, to: NOON - 1 };
        expect(await answerOf(store.reschedule(keyOf('two'), rescheduling))).toBe('moved');
        expect(await answerOf(store.remove(keyOf('two')))).toBe('removed');
        expect(sent.length).toBeLessThan(12);
        expect(await said(others, key)).toEqual(['before', 'first', 'second']);
        expect(await eventsCount()).toBe(7);
      });

      test('a call that arrives again is still recognised', async () => {
        const { store, others, client, sent, eventsCount, insert } = open();
        await insert();
        setClock(offsetMs);
        const position = await append(store, key, ['mine']);
        const [sha1, count, ...rest] = sent.at(-1) ?? [];
        expect(sha1).toBe(writeScripts.append.sha1);
        // As if it had waited on the way.
        const again = await client.call('EVALSHA', ...[sha1, count, ...rest].map(String));
        expect(again).toBe(`made ${position}`);
        expect([await said(others, key), await eventsCount()]).toEqual([['mine'], 2]);
      });
    },
  );

  test('while they agree, no call is sent twice', async () => {
    const { store, sent, insert, others } = open();
    await insert();
    await append(others, key, ['before']);
    await append(store, key, ['first']);
    await append(store, key, ['second']);
    expect(sent).toHaveLength(2);
  });

  test('a call that arrives after its time changes nothing, even where nothing remembers it', async () => {
    const { store, others, client, sent, eventsCount, insert } = open();
    await insert();
    await append(store, key, ['mine']);
    const [, count = '', write = '', ...rest] = (sent.at(-1) ?? []).map(String);
    await client.call('DEL', write);
    // Until when the server accepts it.
    const place = Number(count) - 1;
    expect(Number(rest[place])).toBeGreaterThan(Date.now());
    const late = rest.with(place, String(Date.now() - 1));
    const reply = await client.call('EVALSHA', writeScripts.append.sha1, count, write, ...late);
    expect(reply).toMatch(/^late \d+$/);
    expect([await said(others, key), await eventsCount()]).toEqual([['mine'], 2]);
  });

  test('a machine whose clock is set while it runs goes on; a call that may have been forgotten is unknown', async () => {
    const { store, others, insert } = open();
    await insert();
    await append(store, key, ['one']);
    setClock(-10 * MINUTE);
    const call = store.append(key, { entries: [say('two')], now: NOON });
    expect(await errorOf(call)).toMatchObject({ type: 'store_unavailable', outcome: 'unknown' });
    await append(store, key, ['three']);
    vi.useRealTimers();
    await append(store, key, ['four']);
    expect(await said(others, key)).toEqual(['one', 'three', 'four']);
  });

  test('many calls at once of a machine with a wrong clock are all made, once each', async () => {
    for (const offsetMs of [-10 * MINUTE, 10 * MINUTE]) {
      const { store, others, insert } = open();
      await insert();
      setClock(offsetMs);
      await Promise.all(upTo(20).map((at) => append(store, key, [`${at}`])));
      vi.useRealTimers();
      expect(new Set(await said(others, key))).toEqual(new Set(upTo(20).map(String)));
      expect(await said(others, key)).toHaveLength(20);
    }
  });

  test('a call whose script is always refused as late ends within its time, and was not applied', async () => {
    const { others, client, insert, prefix } = open();
    await insert();
    const refusing = intercepting(client, async (name, _, run) =>
      name.startsWith('eval') ? 'late 1' : run(),
    );
    const store = todaysRedisStore({ client: refusing, prefix, timeoutMs: 20 });
    const answer = store.append(key, { entries: [say('mine')], now: NOON });
    expect(await errorOf(answer)).toMatchObject({
      type: 'store_unavailable',
      outcome: 'not_applied',
    });
    expect(await said(others, key)).toEqual([]);
  });
});
