import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keys.js';
import type { SessionRecord } from '../../../src/session/record.js';
import { sessionAt } from '../../../src/session/view.js';
import { headOf, keyOf, live, NOON, TENANT } from '../../../src/testing/samples.js';
import { answerOf, append, errorOf, idsOn } from '../../../src/testing/steps.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { openClient } from '../../support/redis-clients.js';

type Part = 'record' | 'journal';

const key = keyOf('bad');

let prefixes = 0;

describeWithRedis('a session whose strings are damaged', ({ port }) => {
  const open = async () => {
    prefixes += 1;
    const prefix = `damage-${process.pid}-${prefixes}`;
    const client = openClient('ioredis 5', { port });
    const store = new RedisSessionStore({ client, prefix });
    await answerOf(store.insert(TENANT, headOf('good', NOON + 1), live('IDLE')));
    await answerOf(store.insert(TENANT, headOf('bad', NOON, { timeLimit: 10, context: '\u20AC"' }), live('IDLE')));
    await answerOf(store.replace(key, live('ACTIVE', { revision: 2, operations: ['op'] })));
    await append(store, key, ['h\u00E9 "', '\n'], 'hello');
    const raw = new Redis(port);
    onTestFinished(() => raw.disconnect());
    return { store, raw, keys: new Keyspace(prefix, 1).of(key) };
  };

  /** All that a reader of the record can look at: it is what it says it is, or this throws. */
  const expectServable = (record: SessionRecord): void => {
    record.history;
    const session = sessionAt(record, NOON);
    expect(typeof session.options.timeLimit).toBe('number');
    expect(JSON.parse(JSON.stringify(session))).toMatchObject({ id: record.head.id, history: session.history });
  };

  /** Puts each of `texts` in the place of one string, and reads the session in every way there is. */
  const expectBearable = async (part: Part, damagedOnes: (text: Buffer) => readonly Buffer[]): Promise<void> => {
    const { store, raw, keys } = await open();
    const whole = await raw.getBuffer(keys[part]);
    if (whole === null) throw new Error('there is no such string');
    for (const damaged of damagedOnes(whole)) {
      await raw.set(keys[part], damaged);
      const [found, state, page] = await Promise.all([
        store.find(key),
        store.findState(key),
        answerOf(store.list(TENANT, { offset: 0, limit: 10 })),
      ]);
      const readable = found.isOk() && found.value !== undefined;
      if (found.isOk() && found.value !== undefined) expectServable(found.value);
      if (found.isErr()) expect(found.error).toMatchObject({ type: 'corrupt_record', id: 'bad' });
      if (state.isErr()) expect(state.error).toMatchObject({ type: 'corrupt_record', id: 'bad' });
      // Half a session is not the same as none, to whoever reads.
      expect({ damaged: damaged.toString(), ok: found.isOk() }).toMatchObject({ ok: readable });
      expect(page.records[0]?.head.id).toBe('good');
      expect(page.records.length + page.unreadable.length).toBe(2);
      if (readable) expect(page.records[1]?.head.id).toBe('bad');
      expect(page.total).toBe(2);
      for (const record of page.records) expectServable(record);
    }
  };

  test.each(['record', 'journal'] as const)('cut at any byte, its %s is read or is corrupt_record', async (part) => {
    await expectBearable(part, (text) => Array.from(text, (_, end) => text.subarray(0, end)));
  });

  test.each([
    ['record', 0x01],
    ['record', 0x20],
    ['record', 0x80],
    ['journal', 0x01],
    ['journal', 0x20],
    ['journal', 0x80],
  ] as const)('its %s is read or is corrupt_record with any byte changed by %i', async (part, bit) => {
    await expectBearable(part, (text) =>
      Array.from(text, (byte, at) => {
        const damaged = Buffer.from(text);
        damaged[at] = byte ^ bit;
        return damaged;
      }),
    );
  });

  test.each(['record'] as const)(
    'without its %s it is corrupt_record, keeps its id, and can be removed',
    async (part) => {
      const { store, raw, keys } = await open();
      await raw.del(keys[part]);
      expect(await errorOf(store.find(key))).toMatchObject({ type: 'corrupt_record', id: 'bad' });
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      expect([page.records.map(({ head }) => head.id), page.unreadable, page.total]).toEqual([['good'], ['bad'], 2]);
      expect(await answerOf(store.remove(key))).toBe('removed');
      expect(await idsOn(store, TENANT)).toEqual(['good']);
      expect(await answerOf(store.find(key))).toBeUndefined();
      expect(await answerOf(store.insert(TENANT, headOf('bad'), live('IDLE')))).toBe('inserted');
    },
  );

  test.todo('without its journal it is corrupt_record, keeps its id, and can be removed');

  test.todo('without its record its id is taken until it is removed');

  test.todo('the journal of another session in its place is corrupt_record');

  test('a history of millions of escapes is read', async () => {
    const { store, raw, keys } = await open();
    const line = JSON.stringify({ role: 'user', content: '"\n\\'.repeat(2000), timestamp: '2026-01-31T12:00:00.000Z' });
    await raw.append(keys.journal, `${`${line},\n`.repeat(1000)}"w:000002:000004:0003ea",\n`);
    const found = await answerOf(store.find(key));
    expect(found?.history).toHaveLength(1002);
    expect((await answerOf(store.list(TENANT, { offset: 0, limit: 10 }))).records).toHaveLength(2);
    await raw.append(keys.journal, `${line.replace('user', '\\u0075ser')}\n`);
    expect(await errorOf(store.find(key))).toMatchObject({ type: 'corrupt_record', id: 'bad' });
  });
});
