import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { SessionService } from '../../../src/index.js';
import type { Guards } from '../../../src/store/session-store.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin, change, foundIn, key, said } from '../../../src/testing/commits.js';
import { textsOf } from '../../../src/testing/history-steps.js';
import { operationOf, say, TENANT, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openAppend, openAppendOf } from '../../support/redis-commits.js';
import { startRedis } from '../../support/redis-server.js';
import { isWrite } from '../../support/redis-writes.js';

const SPANS = 2000;

const rewindOf = (truncate: number, contents: readonly string[] = [], guards: Guards = {}) =>
  openAppendOf(key, contents, guards, { truncate });

const op = { operation: operationOf('op') };

let prefixes = 0;

// On a server of its own, whose commands are counted.
describeWithRedis('Redis rewinds', () => {
  let client: Redis;
  let stop: () => Promise<void>;
  /** Every call of a script that writes. */
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
    prefixes += 1;
    const prefix = `rewinds-${prefixes}`;
    const seen = intercepting(client, (name, args, run) => {
      if (name === 'evalsha' && isWrite(args[0])) sent.push(args);
      return run();
    });
    const options = { client: seen, prefix, events: true, timeoutMs: PATIENT_MS };
    const store = new RedisSessionStore(options);
    await begin(store, key);
    const append = (...contents: readonly string[]) => openAppend(store, key, contents);
    const rewind = (truncate: number, contents: readonly string[] = [], guards: Guards = {}) =>
      openAppend(store, key, contents, guards, { truncate });
    return { store, append, rewind, ...new Keyspace(prefix, 1).of(key) };
  };

  /** How often the server reads a range of a text during `work`. */
  const readsDuring = async (work: () => Promise<unknown>): Promise<number> => {
    await client.config('RESETSTAT');
    await work();
    return Number(/cmdstat_getrange:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? 0);
  };

  test('find a position among thousands of them in a few steps', async () => {
    const { store, rewind } = await open();
    // Each entry comes after a rewind that has superseded nothing.
    const positions = [0];
    for (const at of upTo(SPANS)) positions.push(await rewind(positions.at(-1) ?? 0, [`${at}`]));
    for (const at of [1, SPANS / 4, SPANS / 2 + 1, SPANS - 1]) {
      const slice = { before: positions[at] ?? 0, limit: 1, maxBytes: 1 };
      const many = await readsDuring(async () =>
        expect(textsOf((await foundIn(store, slice)).entries)).toEqual([`${at - 1}`]),
      );
      // The shown entries, and at most three marks for each doubling of their number.
      expect(many).toBeLessThan(10 + 3 * 2 * Math.log2(SPANS));
    }
    const middle = positions[SPANS / 2] ?? 0;
    expect(await readsDuring(() => rewind(middle, ['instead']))).toBeLessThan(
      3 * 2 * Math.log2(SPANS),
    );
    expect(await said(store, key)).toEqual([...upTo(SPANS / 2).map(String), 'instead']);
  });

  test('leave the latest entries readable at their own cost, however often an answer was rewritten', async () => {
    const { store, append, rewind } = await open();
    const question = await append(...upTo(20).map((at) => `before ${at}`));
    for (const at of upTo(500)) await rewind(question, [`answer ${at}`]);
    const reads = await readsDuring(async () => {
      const { entries } = await foundIn(store, { limit: 3 });
      expect(textsOf(entries)).toEqual(['before 18', 'before 19', 'answer 499']);
    });
    expect(reads).toBeLessThan(10);
  });

  test('keep a repeatedly cleared history as cheap to read as one cleared once', async () => {
    const { store, append, rewind } = await open();
    let end = await append('one', 'two');
    for (const _ of upTo(200)) end = await rewind(end);
    const reads = await readsDuring(async () =>
      expect((await foundIn(store, { limit: 10 })).entries).toHaveLength(2),
    );
    expect(reads).toBeLessThan(10);
    await rewind(end, ['three']);
    expect(await said(store, key)).toEqual(['one', 'two', 'three']);
  });

  test('in a long history read only between the position and the nearer end', async () => {
    const { store, append, rewind } = await open();
    const piece = 64 * 1024;
    const positions: number[] = [];
    for (const at of upTo(40)) positions.push(await append(`${at} ${'x'.repeat(piece / 2)}`));
    // One look at each piece of 64 KiB; about six at the record, the marks and the place.
    const late = await readsDuring(() => rewind(positions[35] ?? 0, ['late']));
    expect(late).toBeLessThan(12);
    const early = await readsDuring(() => rewind(positions[2] ?? 0, ['early']));
    expect(early).toBeLessThan(12);
    const words = (await said(store, key))?.map((content) => content.split(' ')[0]);
    expect(words).toEqual(['0', '1', '2', 'early']);
  });

  test('leave a thousand small entries, each after a rewind, readable in a history of large ones', async () => {
    const { store, append, rewind } = await open();
    let end = 0;
    for (const _ of upTo(4)) end = await append(...upTo(10).map(() => 'x'.repeat(100_000)));
    for (const _ of upTo(1500)) end = await rewind(end, ['y']);
    for (const limit of [1000, 1500]) {
      const { entries } = await foundIn(store, { limit });
      expect(textsOf(entries)).toEqual(upTo(limit).map(() => 'y'));
    }
  });

  /** Four entries of 64 KiB each before and after one, whose position this returns. */
  const surrounded = async (append: (...contents: readonly string[]) => Promise<number>) => {
    const pieces = upTo(4).map(() => 'x'.repeat(64 * 1024));
    await append(...pieces);
    const middle = await append('middle');
    await append(...pieces);
    return middle;
  };

  test('are refused after a thousand rewinds, while appends still succeed', async () => {
    const { store, append, rewind } = await open();
    for (const at of upTo(1000)) {
      const kept = await append(`kept ${at}`);
      await append('superseded');
      await rewind(kept);
    }
    const last = await append('last');
    await append('superseded');
    const full = { outcome: 'refused', guard: 'rewinds', rewinds: 1000 };
    expect(await change(store, rewindOf(last))).toEqual(full);
    await append('more');
    expect(await said(store, key)).toHaveLength(1003);
    // A refusal reads no lines, however many there are.
    const middle = await surrounded(append);
    const reads = await readsDuring(async () =>
      expect(await change(store, rewindOf(middle))).toEqual(full),
    );
    expect(reads).toBeLessThan(4);
    const sessions = new SessionService({ store }).forTenant(TENANT);
    const position = (await answerOf(store.find(key)))?.historyPosition ?? 0;
    const answer = await sessions.rewind(key.id, { to: middle, ifPosition: position });
    expect(answer._unsafeUnwrapErr()).toMatchObject({
      type: 'history_full',
      message: expect.stringContaining('1000'),
      limit: 1000,
    });
  });

  test('count no lines if the position leaves more entries than the maximum', async () => {
    const { store, append, rewind } = await open();
    await rewind(await append('one', 'two', 'superseded'));
    const middle = await surrounded(append);
    const reads = await readsDuring(async () =>
      expect(await change(store, rewindOf(middle, [], { entries: 2 }))).toEqual({
        outcome: 'refused',
        guard: 'entries',
      }),
    );
    expect(reads).toBeLessThan(4);
  });

  test('exclude superseded entries from the size that maxBytes limits', async () => {
    const { store, append, rewind } = await open();
    for (const _ of upTo(10)) await append('x'.repeat(50_000));
    await rewind(0, ['short']);
    expect((await answerOf(store.find(key, { maxBytes: 2000 })))?.history).toEqual([say('short')]);
  });

  test.each([
    ['without entries', []],
    ['with entries', ['mine']],
  ])('apply one %s once if it arrives twice, with the same result', async (_, contents) => {
    const { store, append, rewind } = await open();
    const first = await append('one');
    await append('two');
    const position = await rewind(first, contents);
    const [sha1, count, ...rest] = (sent.at(-1) ?? []).map(String);
    await append('three');
    expect(await client.call('EVALSHA', sha1 ?? '', count ?? '', ...rest)).toBe(`made ${position}`);
    expect(await said(store, key)).toEqual(['one', ...contents, 'three']);
  });

  test.each([
    ['without entries', []],
    ['with entries', ['mine']],
  ])(
    'report one %s that a crash lost as unknown if it arrives again, and apply a repeated call',
    async (_, contents) => {
      const { store, append, rewind, record } = await open();
      const first = await append('one');
      await append('two');
      const before = String(await client.call('GET', record));
      await rewind(first, contents, op);
      const [sha1 = '', count = '', note = '', ...rest] = (sent.at(-1) ?? []).map(String);
      // The last commands, which a torn log does not have.
      await client.call('SET', record, before);
      await client.call('SET', note, '');
      // An equal rewind takes its place.
      await rewind(first, contents);
      await append('three');
      expect(await client.call('EVALSHA', sha1, count, note, ...rest)).toBe('unknown');
      expect(await said(store, key)).toEqual(['one', ...contents, 'three']);
      const position = await rewind(first, contents, op);
      const repeated = { outcome: 'repeated', position };
      expect(await change(store, rewindOf(first, contents, op))).toEqual(repeated);
      expect(await said(store, key)).toEqual(['one', ...contents]);
    },
  );

  test('apply a repeated call that a crash lost, even if an equal rewind took its place', async () => {
    const { store, append, rewind, record } = await open();
    const first = await append('one');
    await append('two');
    const before = String(await client.call('GET', record));
    await rewind(first, [], op);
    await client.call('SET', record, before);
    await rewind(0);
    await append('another');
    const position = await rewind(0, [], op);
    expect(await change(store, rewindOf(0, [], op))).toEqual({ outcome: 'repeated', position });
    expect(await said(store, key)).toEqual([]);
  });
});
