import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { SessionService } from '../../../src/index.js';
import type { HistorySlice, SessionKey } from '../../../src/store/session-store.js';
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
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { answerOf, append, said } from '../../support/older-port/steps.js';
import { PATIENT_MS } from '../../support/patience.js';
import { startRedis } from '../../support/redis-server.js';
import { isWrite } from '../../support/redis-writes.js';
import { type TodaysRedisStore, todaysRedisStore } from '../../support/todays-redis-store.js';

const prefix = `rewinds-${process.pid}`;
const SPANS = 2000;

let sessions = 0;

// On a server of its own, whose commands are counted.
const foundIn = async (store: TodaysRedisStore, key: SessionKey, slice: HistorySlice) => {
  const found = await answerOf(store.entries(key, slice));
  if (found.outcome === 'found') return found;
  throw new Error(`entries answered ${found.outcome}`);
};

describeWithRedis('rewinds in Redis', () => {
  let client: Redis;
  let stop: () => Promise<void>;
  /** Every call of a script that supersedes something. */
  const sent: (readonly unknown[])[] = [];

  beforeAll(async () => {
    const server = await startRedis();
    client = new Redis(server.port);
    stop = () => server.stop();
  });

  afterAll(async () => {
    await client.quit();
    await stop();
  });

  const open = async () => {
    sessions += 1;
    const key = keyOf(`session-${sessions}`);
    const seen = intercepting(client, (name, args, run) => {
      if (name === 'evalsha' && isWrite(args[0])) sent.push(args);
      return run();
    });
    const store = todaysRedisStore({
      client: seen,
      prefix,
      events: true,
      timeoutMs: PATIENT_MS,
    });
    await answerOf(store.insert(TENANT, headOf(key.id), live('ACTIVE')));
    const rewind = async (
      after: number,
      contents: readonly string[],
      operationId?: string,
    ): Promise<number> => {
      const operation = operationId === undefined ? {} : { operation: operationOf(operationId) };
      const entries = contents.map((content) => say(content));
      const answer = await answerOf(store.append(key, { entries, now: NOON, after, ...operation }));
      if (answer.outcome !== 'appended') throw new Error(`a rewind answered ${answer.outcome}`);
      return answer.position;
    };
    return { store, key, rewind };
  };

  /** How often the server reads a range of a text during `work`. */
  const readsDuring = async (work: () => Promise<unknown>): Promise<number> => {
    await client.config('RESETSTAT');
    await work();
    return Number(/cmdstat_getrange:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? 0);
  };

  /**
   * A history of so many entries, each after a rewind that has superseded nothing. Returns the
   * positions.
   */
  const insertChain = async ({ rewind }: Awaited<ReturnType<typeof open>>, spans: number) => {
    const positions = [0];
    for (const at of upTo(spans)) positions.push(await rewind(positions.at(-1) ?? 0, [`${at}`]));
    return positions;
  };

  test('a place in the middle of thousands of them is found in a few steps', async () => {
    const bench = await open();
    const positions = await insertChain(bench, SPANS);
    const { store, key } = bench;
    for (const at of [1, SPANS / 4, SPANS / 2 + 1, SPANS - 1]) {
      const position = positions[at] ?? 0;
      const read = async () => {
        const slice = { before: position, limit: 1, maxBytes: 1 };
        expect((await foundIn(store, key, slice)).entries).toMatchObject([
          { content: `${at - 1}` },
        ]);
      };
      const many = await readsDuring(read);
      // What is shown, and at most three marks for each doubling of their number.
      expect(many).toBeLessThan(10 + 3 * 2 * Math.log2(SPANS));
    }
    const middle = positions[SPANS / 2] ?? 0;
    expect(await readsDuring(() => bench.rewind(middle, ['instead']))).toBeLessThan(
      3 * 2 * Math.log2(SPANS),
    );
    expect(await said(store, key)).toEqual([...upTo(SPANS / 2).map(String), 'instead']);
  });

  test('the latest entries are read at their own cost, however often an answer was written anew', async () => {
    const { store, key, rewind } = await open();
    const question = await append(
      store,
      key,
      upTo(20).map((at) => `before ${at}`),
    );
    for (const at of upTo(500)) await rewind(question, [`answer ${at}`]);
    const reads = await readsDuring(async () => {
      const found = await foundIn(store, key, { limit: 3 });
      expect(found.entries.map(({ content }) => content)).toEqual([
        'before 18',
        'before 19',
        'answer 499',
      ]);
    });
    expect(reads).toBeLessThan(10);
  });

  test('a history that is cleared again and again is read like one that was cleared once', async () => {
    const { store, key, rewind } = await open();
    let end = await append(store, key, ['one', 'two']);
    for (const _ of upTo(200)) end = await rewind(end, []);
    const reads = await readsDuring(async () =>
      expect((await foundIn(store, key, { limit: 10 })).entries).toHaveLength(2),
    );
    expect(reads).toBeLessThan(10);
    await rewind(end, ['three']);
    expect(await said(store, key)).toEqual(['one', 'two', 'three']);
  });

  test('in a long history looks at what is between the place and the nearer end', async () => {
    const { store, key, rewind } = await open();
    const piece = 64 * 1024;
    const positions: number[] = [];
    for (const at of upTo(40))
      positions.push(await append(store, key, [`${at} ${'x'.repeat(piece / 2)}`]));
    // One look at each piece of 64 KiB; about six at the record, the marks and the place.
    const late = await readsDuring(() => rewind(positions[35] ?? 0, ['late']));
    expect(late).toBeLessThan(12);
    const early = await readsDuring(() => rewind(positions[2] ?? 0, ['early']));
    expect(early).toBeLessThan(12);
    expect((await said(store, key))?.map((content) => content.split(' ')[0])).toEqual([
      '0',
      '1',
      '2',
      'early',
    ]);
  });

  test('a thousand small entries, each after a rewind, are read back in a history of large ones', async () => {
    const bench = await open();
    const { store, key, rewind } = bench;
    let end = 0;
    for (const _ of upTo(4))
      end = await append(
        store,
        key,
        upTo(10).map(() => 'x'.repeat(100_000)),
      );
    for (const _ of upTo(4000)) end = await rewind(end, ['y']);
    for (const limit of [1000, 4000]) {
      const { entries } = await foundIn(store, key, { limit });
      expect(entries.map(({ content }) => content)).toEqual(upTo(limit).map(() => 'y'));
    }
  });

  test('a history that a thousand rewinds have cut has no place for one more, and takes entries', async () => {
    const { store, key, rewind } = await open();
    let kept = 0;
    for (const at of upTo(1000)) {
      kept = await append(store, key, [`kept ${at}`]);
      await append(store, key, ['superseded']);
      kept = await rewind(kept, []);
    }
    const last = await append(store, key, ['last']);
    await append(store, key, ['superseded']);
    const full = { entries: [], now: NOON, after: last };
    expect(await answerOf(store.append(key, full))).toEqual({ outcome: 'full', maxRewinds: 1000 });
    await append(store, key, ['more']);
    expect(await said(store, key)).toHaveLength(1003);
    // A refusal reads no lines, however many there are.
    const piece = 'x'.repeat(64 * 1024);
    await append(store, key, [piece, piece, piece, piece]);
    const middle = await append(store, key, ['middle']);
    await append(store, key, [piece, piece, piece, piece]);
    const refused = { entries: [], now: NOON, after: middle };
    const reads = await readsDuring(async () =>
      expect(await answerOf(store.append(key, refused))).toMatchObject({ outcome: 'full' }),
    );
    expect(reads).toBeLessThan(4);
    const sessions = new SessionService({ store: store.port }).forTenant(TENANT);
    const position = (await answerOf(store.find(key)))?.historyPosition ?? 0;
    const answer = await sessions.rewind(key.id, { to: middle, ifPosition: position });
    expect(answer._unsafeUnwrapErr()).toMatchObject({
      type: 'history_full',
      message: expect.stringContaining('1000'),
      limit: 1000,
    });
  });

  test('to a position that leaves more entries than the maximum counts no lines', async () => {
    const { store, key, rewind } = await open();
    const piece = 'x'.repeat(64 * 1024);
    const first = await append(store, key, ['one', 'two', 'superseded']);
    await rewind(first, []);
    await append(store, key, [piece, piece, piece, piece]);
    const middle = await append(store, key, ['middle']);
    await append(store, key, [piece, piece, piece, piece]);
    const refused = { entries: [], now: NOON, after: middle, maxEntries: 2 };
    const reads = await readsDuring(async () =>
      expect(await answerOf(store.append(key, refused))).toEqual({ outcome: 'full' }),
    );
    expect(reads).toBeLessThan(4);
  });

  test('what is superseded does not count into the size that maxBytes is compared with', async () => {
    const { store, key, rewind } = await open();
    for (const _ of upTo(10)) await append(store, key, ['x'.repeat(50_000)]);
    await rewind(0, ['short']);
    expect((await answerOf(store.find(key, { maxBytes: 2000 })))?.history).toEqual([say('short')]);
  });

  test.each([
    ['without entries', []],
    ['with entries', ['mine']],
  ])('one %s that arrives twice is made once, and answered the same', async (_, contents) => {
    const { store, key, rewind } = await open();
    const first = await append(store, key, ['one']);
    await append(store, key, ['two']);
    const position = await rewind(first, contents);
    const [sha1, count, ...rest] = (sent.at(-1) ?? []).map(String);
    await append(store, key, ['three']);
    expect(await client.call('EVALSHA', sha1 ?? '', count ?? '', ...rest)).toBe(`made ${position}`);
    expect(await said(store, key)).toEqual(['one', ...contents, 'three']);
  });

  test.each([
    ['without entries', []],
    ['with entries', ['mine']],
  ])(
    'one %s whose outcome a crash has lost is unknown when it arrives again, and is made when it is repeated',
    async (_, contents) => {
      const { store, key, rewind } = await open();
      const { record } = new Keyspace(prefix, 1).of(key);
      const first = await append(store, key, ['one']);
      await append(store, key, ['two']);
      const before = String(await client.call('GET', record));
      await rewind(first, contents, 'op');
      const [sha1 = '', count = '', note = '', ...rest] = (sent.at(-1) ?? []).map(String);
      // The last commands, which a torn log does not have.
      await client.call('SET', record, before);
      await client.call('SET', note, '');
      // One alike stands in its place.
      await rewind(first, contents);
      await append(store, key, ['three']);
      expect(await client.call('EVALSHA', sha1, count, note, ...rest)).toBe('unknown');
      expect(await said(store, key)).toEqual(['one', ...contents, 'three']);
      await rewind(first, contents, 'op');
      await rewind(first, contents, 'op');
      expect(await said(store, key)).toEqual(['one', ...contents]);
    },
  );

  test('one with a name that a crash has lost is made when it is repeated, although a rewind alike stands in its place', async () => {
    const { store, key, rewind } = await open();
    const { record } = new Keyspace(prefix, 1).of(key);
    const first = await append(store, key, ['one']);
    await append(store, key, ['two']);
    const before = String(await client.call('GET', record));
    await rewind(first, [], 'op');
    await client.call('SET', record, before);
    await rewind(0, []);
    await append(store, key, ['another']);
    const position = await rewind(0, [], 'op');
    expect(await rewind(0, [], 'op')).toBe(position);
    expect(await said(store, key)).toEqual([]);
  });
});
