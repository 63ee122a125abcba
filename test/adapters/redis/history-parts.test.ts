import { describe, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import type { HistoryEntry } from '../../../src/session/session.js';
import type { EntriesOutcome } from '../../../src/store/session-store.js';
import { answerOf, errorOf } from '../../../src/testing/answers.js';
import { begin, key } from '../../../src/testing/commits.js';
import { partOf, withoutPosition } from '../../../src/testing/history-steps.js';
import { headOf, NOON, operationOf, say, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { openAppend } from '../../support/redis-commits.js';
import { startRedis } from '../../support/redis-server.js';

const corrupt = { type: 'corrupt_record', id: 'one' };

let prefixes = 0;

const entriesOf = (found: EntriesOutcome): readonly HistoryEntry[] =>
  found.outcome === 'found' ? found.entries.map(withoutPosition) : [];

describeWithRedis('Redis history parts', ({ port }) => {
  const open = async (version: (typeof clientVersions)[number] = 'ioredis 5') => {
    prefixes += 1;
    const prefix = `parts-${process.pid}-${prefixes}`;
    const client = openClient(version, { port });
    const store = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
    await begin(store, key, { head: headOf('one', NOON, { context: '\u20AC {"\n' }) });
    const append = (...contents: readonly string[]) => openAppend(store, key, contents);
    return { store, client, append, ...new Keyspace(prefix, 1).of(key) };
  };

  describe.each(clientVersions)('%s', (version) => {
    test('start at line boundaries only, at any byte', async () => {
      const { store, client, append, journal } = await open(version);
      await append('h\u00E9llo \u{1F600}', '{');
      const end = await openAppend(store, key, ['\n{'], { operation: operationOf('op') });
      const text = Buffer.from(String(await client.call('GET', journal)));
      expect(end).toBe(text.length);
      const history = ['h\u00E9llo \u{1F600}', '{', '\n{'].map((content) => say(content));
      for (const after of upTo(text.length + 3)) {
        const found = await answerOf(store.entries(key, { after, limit: 10 }));
        const isStart = after === 0 || text[after - 1] === 0x0a;
        expect({ after, outcome: found.outcome }).toEqual({
          after,
          outcome: isStart ? 'found' : 'invalid_position',
        });
        const behind = text.subarray(after).toString().split('\n{"role"').length - 1;
        const count = isStart && text[after] === 0x7b ? behind + 1 : behind;
        if (isStart) {
          const entries = count === 0 ? [] : history.slice(-count);
          expect(entriesOf(found)).toEqual(entries);
          expect(found).toMatchObject({ start: after, position: text.length, hasMore: false });
        }
        const back = await answerOf(store.entries(key, { before: after, limit: 10 }));
        expect({ after, outcome: back.outcome }).toEqual({
          after,
          outcome: isStart ? 'found' : 'invalid_position',
        });
        if (isStart) expect(entriesOf(back)).toEqual(history.slice(0, history.length - count));
      }
    });

    test('are complete even if entries are mebibytes long', async () => {
      const { store, append } = await open(version);
      const contents = upTo(40).map(
        (at) => `${at} ${'\u20AC'.repeat(at === 7 ? 700_000 : 20_000 + 997 * at)}`,
      );
      const entries = contents.map((content) => say(content));
      for (const at of upTo(10)) await append(...contents.slice(4 * at, 4 * at + 4));
      const { position } = await partOf(store, { limit: 1 });
      for (const count of [1, 12, 33, 100]) {
        const last = await partOf(store, { limit: count });
        expect(last).toMatchObject({ entries: entries.slice(-count), position, hasMore: false });
        const first = await partOf(store, { after: 0, limit: count });
        expect(first).toMatchObject({ entries: entries.slice(0, count), hasMore: count < 40 });
        const others = await partOf(store, { after: first.position, limit: 100 });
        expect(others.entries).toEqual(entries.slice(count));
      }
    });
  });

  describe('from a damaged journal', () => {
    const good = '{"role":"user","content":"x","timestamp":"2026-01-31T12:00:00.000Z"},\n';

    test.each([
      ['a line that is no JSON', '{"role":"user",\n'],
      ['an entry without a time', '{"role":"user","content":"x"},\n'],
      ['an entry with a number', good.replace('"x"', '1')],
      ['a line of something else', 'x\n'],
      ['a second head', '{"id":"one"},\n'],
    ])('fail with corrupt_record with %s', async (_, line) => {
      const { store, client, append, journal } = await open();
      const position = await append('hello');
      const more = await append('x'.repeat(200));
      // As many bytes as were there.
      const filler = good.replace('x', 'x'.repeat(more - position - line.length - good.length + 1));
      await client.call('SETRANGE', journal, String(position), `${line}${filler}`);
      for (const slice of [{ limit: 10 }, { after: 0, limit: 10 }, { after: position, limit: 2 }]) {
        expect(await errorOf(store.entries(key, slice))).toMatchObject(corrupt);
      }
    });

    test('contain only acknowledged entries, whatever a torn log left behind them', async () => {
      for (const tail of ['x', '{', good, `${good}${good}`, '\n', '"', '\u20AC']) {
        const { store, client, append, journal } = await open();
        const position = await append('hello');
        await client.call('APPEND', journal, tail);
        for (const slice of [{ limit: 10 }, { after: 0, limit: 10 }]) {
          const found = await answerOf(store.entries(key, slice));
          expect(found).toMatchObject({ entries: [say('hello')], position, hasMore: false });
        }
        expect(await answerOf(store.entries(key, { after: position, limit: 1 }))).toMatchObject({
          entries: [],
        });
        expect(await answerOf(store.entries(key, { after: position + 1, limit: 1 }))).toEqual({
          outcome: 'invalid_position',
        });
      }
    });

    test('fail with corrupt_record if the journal is shorter than what was acknowledged', async () => {
      const { store, client, append, journal } = await open();
      const position = await append('hello');
      await append('goodbye');
      const text = String(await client.call('GET', journal));
      await client.call('SET', journal, text.slice(0, position));
      for (const slice of [{ limit: 1 }, { after: 0, limit: 1 }, { after: position, limit: 1 }]) {
        expect(await errorOf(store.entries(key, slice))).toMatchObject(corrupt);
      }
    });

    test('fail with corrupt_record if the journal has another type, or only the journal exists', async () => {
      const { store, client, journal, record } = await open();
      for (const slice of [{ limit: 1 }, { after: 0, limit: 1 }, { after: 9, limit: 1 }]) {
        await client.call('DEL', journal);
        await client.call('RPUSH', journal, 'x');
        expect(await errorOf(store.entries(key, slice))).toMatchObject(corrupt);
      }
      await client.call('DEL', record);
      expect(await errorOf(store.entries(key, { limit: 1 }))).toMatchObject(corrupt);
      await client.call('DEL', journal);
      expect(await answerOf(store.entries(key, { limit: 1 }))).toEqual({ outcome: 'missing' });
    });
  });

  test("are readable after SCRIPT FLUSH, and with the client's keyPrefix", async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const client = openClient('ioredis 6', { port: server.port, keyPrefix: 'host:' });
    const store = new RedisSessionStore({ client, prefix: 'parts', timeoutMs: PATIENT_MS });
    await begin(store, key);
    await openAppend(store, key, ['hello']);
    await client.call('SCRIPT', 'FLUSH');
    expect((await partOf(store, { limit: 1 })).entries).toEqual([say('hello')]);
  });
});
