import { describe, expect, onTestFinished, test } from 'vitest';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import type { HistoryEntry } from '../../../src/session/session.js';
import type { EntriesOutcome } from '../../../src/store/session-store.js';
import { withoutPosition } from '../../../src/testing/history-steps.js';
import { headOf, keyOf, NOON, say, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { answerOf, append, errorOf, insertActive } from '../../support/older-port/steps.js';
import { PATIENT_MS } from '../../support/patience.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { startRedis } from '../../support/redis-server.js';
import { todaysRedisStore } from '../../support/todays-redis-store.js';

const key = keyOf('one');

let prefixes = 0;

const entriesOf = (found: EntriesOutcome): readonly HistoryEntry[] =>
  found.outcome === 'found' ? found.entries.map(withoutPosition) : [];

describeWithRedis('parts of a history', ({ port }) => {
  const open = async (version: (typeof clientVersions)[number] = 'ioredis 5') => {
    prefixes += 1;
    const prefix = `parts-${process.pid}-${prefixes}`;
    const client = openClient(version, { port });
    const store = todaysRedisStore({ client, prefix, timeoutMs: PATIENT_MS });
    await insertActive(store, key, headOf('one', NOON, { context: '\u20AC {"\n' }));
    return { store, client, prefix, ...new Keyspace(prefix, 1).of(key) };
  };

  describe.each(clientVersions)('%s', (version) => {
    test('begin at lines and nowhere else, at any byte', async () => {
      const { store, client, journal } = await open(version);
      const ends = [
        await append(store, key, ['h\u00E9llo \u{1F600}', '{']),
        await append(store, key, ['\n{'], 'op'),
      ];
      const text = Buffer.from(String(await client.call('GET', journal)));
      expect(ends.at(-1)).toBe(text.length);
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

    test('end where an append has ended, whatever they begin with', async () => {
      const { store } = await open(version);
      const positions: number[] = [];
      for (const at of upTo(6))
        positions.push(
          await append(store, key, [`${at} a`, `${at} \u20AC`], at % 2 ? `op${at}` : undefined),
        );
      for (const [at, position] of positions.entries()) {
        const found = await answerOf(store.entries(key, { after: 0, limit: 2 * (at + 1) }));
        expect(found).toMatchObject({ position, hasMore: at < 5 });
      }
      expect(await answerOf(store.entries(key, { limit: 3 }))).toMatchObject({
        position: positions.at(-1),
      });
    });

    test('of mebibytes are whole', async () => {
      const { store } = await open(version);
      const entries = upTo(40).map((at) =>
        say(`${at} ${'\u20AC'.repeat(at === 7 ? 700_000 : 20_000 + 997 * at)}`),
      );
      for (const at of upTo(10)) {
        const four = entries.slice(4 * at, 4 * at + 4);
        await answerOf(store.append(key, { entries: four, now: NOON }));
      }
      const { position } = {
        position: 0,
        ...(await answerOf(store.entries(key, { limit: 1 }))),
      };
      for (const count of [1, 12, 33, 100]) {
        const last = await answerOf(store.entries(key, { limit: count }));
        expect(entriesOf(last)).toEqual(entries.slice(-count));
        expect(last).toMatchObject({ position, hasMore: false });
        const first = await answerOf(store.entries(key, { after: 0, limit: count }));
        expect(entriesOf(first)).toEqual(entries.slice(0, count));
        expect(first).toMatchObject({ hasMore: count < 40 });
        const rest = 'position' in first ? first.position : 0;
        const others = await answerOf(store.entries(key, { after: rest, limit: 100 }));
        expect(entriesOf(others)).toEqual(entries.slice(count));
      }
    });
  });

  describe('of a journal that is damaged', () => {
    const good = '{"role":"user","content":"x","timestamp":"2026-01-31T12:00:00.000Z"},\n';

    test.each([
      ['a line that is no JSON', '{"role":"user",\n'],
      ['an entry without a time', '{"role":"user","content":"x"},\n'],
      ['an entry with a number', good.replace('"x"', '1')],
      ['a line of something else', 'x\n'],
      ['a second head', '{"id":"one"},\n'],
    ])('are corrupt_record with %s', async (_, line) => {
      const { store, client, journal } = await open();
      const position = await append(store, key, ['hello']);
      const more = await append(store, key, ['x'.repeat(200)]);
      // As many bytes as were there.
      const filler = good.replace('x', 'x'.repeat(more - position - line.length - good.length + 1));
      await client.call('SETRANGE', journal, String(position), `${line}${filler}`);
      for (const slice of [{ limit: 10 }, { after: 0, limit: 10 }, { after: position, limit: 2 }]) {
        expect(await errorOf(store.entries(key, slice))).toMatchObject({
          type: 'corrupt_record',
          id: 'one',
        });
      }
    });

    test('are those that were acknowledged, whatever a torn log has left behind them', async () => {
      for (const tail of ['x', '{', good, `${good}${good}`, '\n', '"', '\u20AC']) {
        const { store, client, journal } = await open();
        const position = await append(store, key, ['hello']);
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

    test('are corrupt_record where it is shorter than what was acknowledged', async () => {
      const { store, client, journal } = await open();
      const position = await append(store, key, ['hello']);
      await append(store, key, ['goodbye']);
      await client.call(
        'SET',
        journal,
        String(await client.call('GET', journal)).slice(0, position),
      );
      for (const slice of [{ limit: 1 }, { after: 0, limit: 1 }, { after: position, limit: 1 }]) {
        expect(await errorOf(store.entries(key, slice))).toMatchObject({
          type: 'corrupt_record',
          id: 'one',
        });
      }
    });

    test('are corrupt_record where it is of another type, and where only the history is there', async () => {
      const { store, client, journal, record } = await open();
      for (const slice of [{ limit: 1 }, { after: 0, limit: 1 }, { after: 9, limit: 1 }]) {
        await client.call('DEL', journal);
        await client.call('RPUSH', journal, 'x');
        expect(await errorOf(store.entries(key, slice))).toMatchObject({
          type: 'corrupt_record',
          id: 'one',
        });
      }
      await client.call('DEL', record);
      expect(await errorOf(store.entries(key, { limit: 1 }))).toMatchObject({
        type: 'corrupt_record',
        id: 'one',
      });
      await client.call('DEL', journal);
      expect(await answerOf(store.entries(key, { limit: 1 }))).toEqual({ outcome: 'missing' });
    });
  });

  test('are read where the server has forgotten the scripts, and with a prefix of the client', async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const client = openClient('ioredis 6', { port: server.port, keyPrefix: 'host:' });
    const store = todaysRedisStore({
      client,
      prefix: `parts-prefix-${process.pid}`,
      timeoutMs: PATIENT_MS,
    });
    await insertActive(store, key);
    await append(store, key, ['hello']);
    await client.call('SCRIPT', 'FLUSH');
    expect(entriesOf(await answerOf(store.entries(key, { limit: 1 })))).toEqual([say('hello')]);
  });
});
