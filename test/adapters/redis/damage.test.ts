import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore, type RedisSessionStoreOptions } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { SessionService } from '../../../src/index.js';
import type { StoreError, TooLarge } from '../../../src/session/errors.js';
import { sessionAt } from '../../../src/session/session-at.js';
import type { SessionRecord } from '../../../src/session/session-record.js';
import type { SessionStatus } from '../../../src/session/session-status.js';
import type { Answer, PageRange, ReadSize } from '../../../src/store/session-store.js';
import { answerOf, errorOf } from '../../../src/testing/answers.js';
import { begin, put, putOf, remove, tryBegin, tryPut } from '../../../src/testing/commits.js';
import { idsOf, pageOf } from '../../../src/testing/page-steps.js';
import {
  headOf,
  keyOf,
  live,
  NOON,
  operationOf,
  say,
  TENANT,
  upTo,
} from '../../../src/testing/samples.js';
import { moreIfLong } from '../../support/continuous-integration.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openClient } from '../../support/redis-clients.js';
import { openAppend, openAppendOf } from '../../support/redis-commits.js';
import { okOf } from '../../support/sessions.js';

type Part = 'record' | 'journal';

/** The distance of the bytes that are changed. */
const STEP = moreIfLong(3, 1);

const key = keyOf('bad');

const corrupt = { type: 'corrupt_record', id: 'bad' };

/** The ids on a page, those that cannot be read, and the total. */
const listed = async (store: RedisSessionStore, range: Partial<PageRange> = {}) => {
  const page = await pageOf(store, range);
  return [idsOf(page), page.unreadable, page.total];
};

let prefixes = 0;

describeWithRedis('a session whose Redis strings are damaged', ({ port }) => {
  const open = async (options: Partial<RedisSessionStoreOptions> = {}) => {
    prefixes += 1;
    const prefix = `damage-${process.pid}-${prefixes}`;
    const client = openClient('ioredis 5', { port });
    const store = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS, ...options });
    const idle = live('IDLE');
    await begin(store, keyOf('good'), { head: headOf('good', NOON + 1), state: idle });
    const head = headOf('bad', NOON, { timeLimit: 10, context: '\u20AC"' });
    await begin(store, key, { head, state: idle });
    await put(store, key, live('ACTIVE', { revision: 2, operations: ['op'] }));
    await openAppend(store, key, ['h\u00E9 "', '\n'], { operation: operationOf('hello') });
    await openAppend(store, key, ['goodbye']);
    await put(store, key, live('PAUSED', { revision: 3, operations: ['op'] }));
    const raw = new Redis(port);
    onTestFinished(() => raw.disconnect());
    return { store, raw, keys: new Keyspace(prefix, 1).of(key) };
  };

  test.each<[string, (raw: Redis, record: string, journal: string) => Promise<unknown>]>([
    ['its record is missing', (raw, record) => raw.del(record)],
    ['its record is no session', (raw, record) => raw.set(record, 'junk')],
    [
      'its record is no text',
      async (raw, record) => {
        await raw.del(record);
        await raw.lpush(record, 'junk');
      },
    ],
    ['its history is cut', (raw, _, journal) => raw.set(journal, '{"role":"user"')],
  ])('leaves no text if it is deleted with reportEnds and %s', async (_, damage) => {
    const { store, raw, keys } = await open({ reportEnds: true });
    await damage(raw, keys.record, keys.journal);
    await okOf(new SessionService({ store, tenant: TENANT }).delete(key.id));
    expect(await raw.exists(keys.record, keys.journal, keys.operations)).toBe(0);
  });

  /** Everything that a reader of the record can see. Throws if it is inconsistent. */
  const expectServable = (record: SessionRecord): void => {
    const session = sessionAt(record, NOON);
    expect(typeof session.options.timeLimit).toBe('number');
    expect(record.history).toHaveLength(record.historyCount);
    for (const { role, content, timestamp } of record.history) {
      expect([role, content, timestamp].map((text) => typeof text)).toEqual([
        'string',
        'string',
        'string',
      ]);
    }
    expect(JSON.parse(JSON.stringify(session))).toMatchObject({
      id: record.head.id,
      history: session.history,
    });
  };

  /** Replaces one string by each of `texts`, and reads the session in every possible way. */
  const expectBearable = async (
    part: Part,
    damagedOnes: (text: Buffer) => readonly Buffer[],
  ): Promise<void> => {
    const { store, raw, keys } = await open();
    const whole = await raw.getBuffer(keys[part]);
    if (whole === null) throw new Error('there is no such string');
    for (const damaged of damagedOnes(whole).filter((_, at) => at % STEP === 0)) {
      await raw.set(keys[part], damaged);
      const [found, state, page] = await Promise.all([
        store.find(key),
        store.findState(key),
        pageOf(store, {}),
      ]);
      const readable = found.isOk() && found.value !== undefined;
      if (found.isOk() && found.value !== undefined) expectServable(found.value);
      if (found.isErr()) expect(found.error).toMatchObject(corrupt);
      if (state.isErr()) expect(state.error).toMatchObject(corrupt);
      // Readers must not take a damaged session for a missing one.
      expect({ damaged: damaged.toString(), ok: found.isOk() }).toMatchObject({ ok: readable });
      expect(page.records[0]?.head.id).toBe('good');
      expect(page.records.length + page.unreadable.length).toBe(2);
      if (readable) expect(page.records[1]?.head.id).toBe('bad');
      expect(page.total).toBe(2);
      for (const record of page.records) expectServable(record);
    }
  };

  /**
   * Reads the session in every way. A read without the history does not notice a damaged history.
   */
  const expectCorrupt = async (store: RedisSessionStore, part: Part): Promise<void> => {
    const sizes: readonly ReadSize[] = [{}, { historyLimit: 1 }];
    for (const size of part === 'record' ? [...sizes, { historyLimit: 0 }] : sizes) {
      expect(await errorOf(store.find(key, size))).toMatchObject(corrupt);
      expect(await listed(store, size)).toEqual([['good'], ['bad'], 2]);
    }
  };

  const expectRemovable = async (store: RedisSessionStore): Promise<void> => {
    expect(await remove(store, key)).toEqual({ outcome: 'made' });
    expect(await listed(store)).toEqual([['good'], [], 1]);
    expect(await answerOf(store.find(key))).toBeUndefined();
    await begin(store, key);
  };

  test.each(['record', 'journal'] as const)(
    'is read or fails with corrupt_record if its %s is cut at any byte',
    async (part) => {
      await expectBearable(part, (text) => Array.from(text, (_, end) => text.subarray(0, end)));
    },
  );

  test.each([
    ['record', 0x01],
    ['record', 0x20],
    ['record', 0x80],
    ['journal', 0x01],
    ['journal', 0x20],
    ['journal', 0x80],
  ] as const)(
    'is read or fails with corrupt_record if any byte of its %s is changed by %i',
    async (part, bit) => {
      await expectBearable(part, (text) =>
        Array.from(text, (byte, at) => {
          const damaged = Buffer.from(text);
          damaged[at] = byte ^ bit;
          return damaged;
        }),
      );
    },
  );

  test.each(['record', 'journal'] as const)(
    'fails with corrupt_record without its %s, keeps its id, and can be removed',
    async (part) => {
      const { store, raw, keys } = await open();
      await raw.del(keys[part]);
      for (const size of [{}, { historyLimit: 1 }])
        expect(await errorOf(store.find(key, size))).toMatchObject(corrupt);
      const refused = { outcome: 'refused', guard: 'absent' };
      expect(await errorOf(store.change(openAppendOf(key, ['more'])))).toMatchObject(corrupt);
      expect(await tryBegin(store, key)).toEqual(refused);
      await expectRemovable(store);
    },
  );

  test.each(['record', 'journal'] as const)(
    'fails with corrupt_record if its %s has another type, keeps its id, and can be removed',
    async (part) => {
      const { store, raw, keys } = await open();
      await raw.del(keys[part]);
      await raw.rpush(keys[part], 'a list');
      await expectCorrupt(store, part);
      expect(await errorOf(store.entries(key, { limit: 1 }))).toMatchObject(corrupt);
      expect(await errorOf(store.change(openAppendOf(key, ['more'])))).toMatchObject(corrupt);
      await expectRemovable(store);
    },
  );

  test('fails with corrupt_record if its journal is older than its last append', async () => {
    const { store, raw, keys } = await open();
    const journal = (await raw.get(keys.journal)) ?? '';
    await raw.set(keys.journal, journal.slice(0, journal.indexOf(',\n') + 2));
    await expectCorrupt(store, 'journal');
    expect(await errorOf(store.entries(key, { limit: 1 }))).toMatchObject(corrupt);
    for (const operation of [undefined, operationOf('hello')]) {
      const append = openAppendOf(key, ['more'], { operation });
      expect(await errorOf(store.change(append))).toMatchObject(corrupt);
    }
  });

  test('never shows older entries as the latest if its journal lost its end, however long', async () => {
    const { store, raw, keys } = await open();
    const position = await openAppend(
      store,
      key,
      upTo(100).map((at) => `turn ${at}`),
    );
    await openAppend(store, key, ['the latest']);
    const journal = (await raw.get(keys.journal)) ?? '';
    await raw.set(keys.journal, Buffer.from(journal).subarray(0, position));
    await expectCorrupt(store, 'journal');
  });

  test('hides what a torn log left behind the history, and the next append overwrites it', async () => {
    const { store, raw, keys } = await open();
    const before = await answerOf(store.find(key));
    for (const left of ['{"role":"user","cont', '\u20AC\n'.repeat(500)]) {
      await raw.append(keys.journal, left);
      expect(await answerOf(store.find(key))).toEqual(before);
      expect((await answerOf(store.find(key, { historyLimit: 1 })))?.history).toEqual([
        say('goodbye'),
      ]);
      expect(await listed(store)).toEqual([['good', 'bad'], [], 2]);
    }
    await openAppend(store, key, ['more']);
    expect((await answerOf(store.find(key)))?.history.slice(2)).toEqual([
      say('goodbye'),
      say('more'),
    ]);
  });

  test('fails with corrupt_record if any field of its record is junk, and is never overwritten', async () => {
    const { store, raw, keys } = await open();
    const whole = (await raw.get(keys.record)) ?? '';
    const fields = whole.slice(0, whole.indexOf('\n')).trimEnd().split(' ');
    for (const [at, field] of fields.entries()) {
      for (const unit of ['x', '-', '.', 'e', ' ', '\0']) {
        const junk = fields.with(at, unit.repeat(field.length)).join(' ');
        // The incarnation is any name.
        if (at === 2 && /[-xe]/.test(unit)) continue;
        // This is the mark of a removed session.
        if (at === 4 && unit === 'x') continue;
        await raw.set(
          keys.record,
          whole.replace(fields.join(' '), () => junk),
        );
        const calls: readonly Answer<unknown, StoreError | TooLarge>[] = [
          store.find(key),
          store.find(key, { historyLimit: 0 }),
          store.find(key, { historyLimit: 1 }),
          store.findState(key),
          store.entries(key, { limit: 1 }),
          store.change(putOf(key, live('ACTIVE', { revision: 4 }))),
          store.change(openAppendOf(key, ['more'])),
        ];
        for (const call of calls) expect(await errorOf(call)).toMatchObject(corrupt);
        const stale = { outcome: 'refused', guard: 'revision' };
        expect(await remove(store, key, { revision: 3 })).toEqual(stale);
        for (const size of [{}, { historyLimit: 0 }, { historyLimit: 1 }])
          expect(await listed(store, size)).toEqual([['good'], ['bad'], 2]);
        expect(await raw.get(keys.record)).toBe(whole.replace(fields.join(' '), () => junk));
      }
    }
    await expectRemovable(store);
  });

  test('never hides another session by status if its record is junk and its deadline has passed', async () => {
    const { store, raw, keys } = await open();
    await put(store, key, live('ACTIVE', { revision: 4, deadline: NOON }));
    const whole = (await raw.get(keys.record)) ?? '';
    const fields = whole.slice(0, whole.indexOf('\n')).trimEnd().split(' ');
    for (const [at, field] of fields.entries()) {
      const junk = fields.with(at, '.'.repeat(field.length)).join(' ');
      await raw.set(
        keys.record,
        whole.replace(fields.join(' '), () => junk),
      );
      const ofStatus = (status: SessionStatus) =>
        listed(store, { status: { anyOf: [status], now: NOON } });
      expect(await ofStatus('IDLE')).toEqual([['good'], [], 1]);
      expect(await ofStatus('ACTIVE')).toEqual([[], ['bad'], 1]);
      expect(await ofStatus('TERMINATED')).toEqual([[], [], 0]);
      const started = live('ACTIVE', { revision: 2 });
      const limit = { live: { sessions: 1, now: NOON } };
      const tooMany = { outcome: 'refused', guard: 'live' };
      expect(await tryPut(store, keyOf('good'), started, limit)).toEqual(tooMany);
    }
  });

  test('reads a history of millions of escapes', async () => {
    const { store } = await open();
    const contents = upTo(100).map(() => '"\n\\'.repeat(2000));
    for (const _ of upTo(10)) await openAppend(store, key, contents);
    expect((await answerOf(store.find(key)))?.history).toHaveLength(1003);
    expect(await listed(store)).toEqual([['good', 'bad'], [], 2]);
  });
});
