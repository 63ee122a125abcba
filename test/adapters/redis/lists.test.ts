import { describe, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { planRedact } from '../../../src/plan/redact.js';
import type { PageRange } from '../../../src/store/session-store.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin, key, made, placed, put, remove } from '../../../src/testing/commits.js';
import { idsOf, pageOf } from '../../../src/testing/page-steps.js';
import { headOf, keyOf, live, NOON, TENANT, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { PATIENT_MS } from '../../support/patience.js';
import { type ClientVersion, clientVersions, openClient } from '../../support/redis-clients.js';
import { commandsOf } from '../../support/redis-commands.js';
import { openAppend } from '../../support/redis-commits.js';
import { startRedis } from '../../support/redis-server.js';

let prefixes = 0;
const newPrefix = (): string => {
  prefixes += 1;
  return `lists-${process.pid}-${prefixes}`;
};

const beginFive = async (store: RedisSessionStore, context = ''): Promise<void> => {
  for (const at of upTo(5))
    await begin(store, keyOf(`s${at}`), { head: headOf(`s${at}`, NOON + at, { context }) });
};

/** Lists five sessions without histories on a separate server, and counts the commands. */
const countLightList = async (version: ClientVersion, context: string, maxBytes?: number) => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const client = openClient(version, { port: server.port });
  const store = new RedisSessionStore({ client, timeoutMs: PATIENT_MS });
  await beginFive(store, context);
  const list = () => store.page(TENANT, { offset: 0, limit: 10, historyLimit: 0, maxBytes });
  await list();
  const before = await commandsOf(server.port);
  const answer = await list();
  const after = await commandsOf(server.port);
  if (answer.isOk()) expect(answer.value.records).toHaveLength(5);
  const names = ['evalsha', 'mget', 'get', 'getrange', 'strlen'];
  return {
    answer,
    sent: Object.fromEntries(names.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)])),
  };
};

describeWithRedis('a Redis list', ({ port }) => {
  describe.each(clientVersions)('%s', (version) => {
    const open = () => {
      const prefix = newPrefix();
      const client = openClient(version, { port });
      const store = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
      return { client, prefix, store };
    };

    test('sends one script to find the page and one MGET to read its histories', async () => {
      // A separate server, so that only the commands of this test are counted.
      const server = await startRedis();
      onTestFinished(() => server.stop());
      const client = openClient(version, { port: server.port });
      const store = new RedisSessionStore({ client, timeoutMs: PATIENT_MS });
      await beginFive(store);
      await pageOf(store, {});
      const before = await commandsOf(server.port);
      expect(idsOf(await pageOf(store, { offset: 1, limit: 2 }))).toEqual(['s3', 's2']);
      expect(idsOf(await pageOf(store, { offset: 5, limit: 2 }))).toEqual([]);
      const after = await commandsOf(server.port);
      const sent = ['evalsha', 'mget'].map((name) => (after[name] ?? 0) - (before[name] ?? 0));
      expect(sent).toEqual([2, 1]);
    });

    test('sends one script if it omits histories', async () => {
      const { sent } = await countLightList(version, '');
      // The others are the script's.
      expect(sent).toEqual({ evalsha: 1, mget: 0, get: 5, getrange: 0, strlen: 5 });
    });

    test('reads no record without histories if the records are too large together', async () => {
      const { sent } = await countLightList(version, 'x'.repeat(30_000), 200_000);
      expect(sent).toEqual({ evalsha: 1, mget: 0, get: 5, getrange: 0, strlen: 5 });
      const refused = await countLightList(version, 'x'.repeat(30_000), 150_000);
      expect(refused.sent).toMatchObject({ evalsha: 1, mget: 0, strlen: 5 });
      expect(refused.answer._unsafeUnwrapErr()).toMatchObject({ type: 'too_large', sessions: 5 });
    });

    test('rejects small records without histories if they are too large together', async () => {
      const { answer } = await countLightList(version, '', 1);
      expect(answer._unsafeUnwrapErr().type).toBe('too_large');
    });

    test.each(['no record', 'a \x1e b \x1e c'])(
      'names a session with the record %j, without histories',
      async (text) => {
        const { client, prefix, store } = open();
        await beginFive(store);
        for (const id of ['s1', 's3']) await openAppend(store, keyOf(id), ['hello']);
        await client.call('SET', new Keyspace(prefix, 1).of(keyOf('s3')).record, text);
        const page = await pageOf(store, { historyLimit: 0 });
        expect(page.unreadable).toEqual(['s3']);
        expect(idsOf(page)).toEqual(['s4', 's2', 's1', 's0']);
        expect(page.records.map(({ historyCount }) => historyCount)).toEqual([0, 0, 1, 0]);
      },
    );

    test.each([
      ['small', ''],
      ['large', 'x'.repeat(70_000)],
    ])(
      'shows a %s session consistently during concurrent appends and changes, without histories',
      async (_, context) => {
        const { prefix, store: writer } = open();
        const client = openClient(version, { port });
        const reader = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
        await begin(writer, key, { head: headOf('one', NOON, { context }) });
        let isOver = false;
        const changing = (async () => {
          for (const at of upTo(100)) {
            await openAppend(writer, key, [`turn ${at}`]);
            const status = at % 2 === 0 ? 'PAUSED' : 'ACTIVE';
            await put(writer, key, live(status, { revision: at + 2 }));
          }
          isOver = true;
        })();
        let last = 0;
        while (!isOver) {
          const { records, unreadable } = await pageOf(reader, { historyLimit: 0 });
          expect(unreadable).toEqual([]);
          const { historyCount = -1, sequence = -1, history } = records[0] ?? {};
          expect(history).toEqual([]);
          expect(historyCount).toBeGreaterThanOrEqual(last);
          // Each entry and each change increments the count.
          expect(sequence).toBeGreaterThan(historyCount);
          last = historyCount;
        }
        await changing;
        expect(last).toBeGreaterThan(0);
      },
    );

    /** What another process does to a session while a list reads it. */
    const changes = {
      'another session takes its id': async (store: RedisSessionStore) => {
        await remove(store, key);
        await begin(store, key, { state: live('ACTIVE', { labels: { said: 'later' } }) });
        await openAppend(store, key, ['later']);
      },
      'its entries are redacted': async (store: RedisSessionStore) => {
        const positions = (await placed(store, key)).map(({ position }) => position);
        await made(store, planRedact(key, positions, NOON));
      },
      'it is rewound': async (store: RedisSessionStore) => {
        await openAppend(store, key, ['later'], {}, { truncate: 0 });
      },
    } as const;
    const labels = { said: 'first' };
    const ranges: readonly Partial<PageRange>[] = [
      {},
      { historyLimit: 5 },
      { historyLimit: 0 },
      { labels },
      { order: 'updated' },
    ];

    test.each(
      ranges.flatMap((range) =>
        Object.entries(changes).map(([name, change]) => [range, name, change] as const),
      ),
    )('of %j returns one version of a session if %s in between', async (range, _, change) => {
      const { client: other, prefix, store: writer } = open();
      const settings = { prefix, timeoutMs: PATIENT_MS };
      await begin(writer, key, { state: live('ACTIVE', { labels }) });
      await openAppend(writer, key, ['first']);
      // The versions that there are: before the change, and after it.
      const versions = [await answerOf(writer.find(key, range))];
      let sent = 0;
      const client = intercepting(openClient(version, { port }), async (name, _args, run) => {
        // The store asks once, on its own, whether the server evicts keys.
        if (name === 'info') return run();
        sent += 1;
        if (sent === 2) await change(writer);
        return run();
      });
      const reader = new RedisSessionStore({ client, ...settings });
      // Knows the settings of the store from here on, and the server the scripts.
      await pageOf(new RedisSessionStore({ client: other, ...settings }), range);
      expect((await reader.deployment()).isOk()).toBe(true);
      sent = 0;
      const { records } = await pageOf(reader, range);
      versions.push(await answerOf(writer.find(key, range)));
      for (const record of records) expect(versions).toContainEqual(record);
    });

    test('drops index entries of missing sessions, and returns a full page with the correct total', async () => {
      const { client, prefix, store } = open();
      await beginFive(store);
      const { index } = new Keyspace(prefix, 1).of(keyOf('s0'));
      for (const stale of upTo(20))
        await client.call('ZADD', index, String(NOON + 1), `stale${stale}`);
      // More than a page of them at the top.
      for (const stale of upTo(7))
        await client.call('ZADD', index, String(NOON + 9), `newer${stale}`);
      const page = await pageOf(store, { limit: 40 });
      expect(idsOf(page)).toEqual(['s4', 's3', 's2', 's1', 's0']);
      expect([page.total, page.unreadable]).toEqual([5, []]);
      expect((await store.repair()).isOk()).toBe(true);
      expect(await client.call('ZCARD', index)).toBe(5);
    });
  });
});
