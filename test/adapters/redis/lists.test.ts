import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import type { PageRange } from '../../../src/store/session-store.js';
import { foundIn } from '../../../src/testing/history-steps.js';
import { headOf, keyOf, live, NOON, say, TENANT, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { answerOf, append, idsOn, replace } from '../../support/older-port/steps.js';
import { PATIENT_MS } from '../../support/patience.js';
import { type ClientVersion, clientVersions, openClient } from '../../support/redis-clients.js';
import { commandsOf } from '../../support/redis-commands.js';
import { startRedis } from '../../support/redis-server.js';
import { type TodaysRedisStore, todaysRedisStore } from '../../support/todays-redis-store.js';

let prefixes = 0;
const newPrefix = (): string => {
  prefixes += 1;
  return `lists-${process.pid}-${prefixes}`;
};

const insertFive = async (store: TodaysRedisStore, context = ''): Promise<void> => {
  for (const at of upTo(5)) {
    await answerOf(store.insert(TENANT, headOf(`s${at}`, NOON + at, { context }), live('ACTIVE')));
  }
};

/** Lists five sessions without histories on a separate server, and counts the commands. */
const countLightList = async (version: ClientVersion, context: string, maxBytes?: number) => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const store = todaysRedisStore({
    client: openClient(version, { port: server.port }),
    timeoutMs: PATIENT_MS,
  });
  await insertFive(store, context);
  const list = () => store.list(TENANT, { offset: 0, limit: 10, historyLimit: 0, maxBytes });
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

describeWithRedis('a list', ({ port }) => {
  describe.each(clientVersions)('%s', (version) => {
    /** A separate server, so that only the commands of this test are counted. */
    const countLists = async (store: (port: number) => Promise<TodaysRedisStore>) => {
      const server = await startRedis();
      try {
        const opened = await store(server.port);
        await insertFive(opened);
        await idsOn(opened, TENANT);
        const before = await commandsOf(server.port);
        expect(await idsOn(opened, TENANT, 1, 2)).toEqual(['s3', 's2']);
        expect(await idsOn(opened, TENANT, 5, 2)).toEqual([]);
        const after = await commandsOf(server.port);
        const used = Object.keys(after).map(
          (name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const,
        );
        return Object.fromEntries(used.filter(([name, count]) => count > 0 && name !== 'info'));
      } finally {
        await server.stop();
      }
    };

    test('is one script that finds the page and one MGET that reads its histories', async () => {
      const used = await countLists(async (at) =>
        todaysRedisStore({
          client: openClient(version, { port: at }),
          prefix: 'lists',
          timeoutMs: PATIENT_MS,
        }),
      );
      expect(used).toMatchObject({ evalsha: 2, mget: 1 });
    });

    test('without histories is one script', async () => {
      const { sent } = await countLightList(version, '');
      // The others are the script's.
      expect(sent).toEqual({ evalsha: 1, mget: 0, get: 5, getrange: 0, strlen: 5 });
    });

    test('without histories reads no record if they are too large together', async () => {
      const { sent } = await countLightList(version, 'x'.repeat(30_000), 200_000);
      expect(sent).toEqual({ evalsha: 1, mget: 0, get: 5, getrange: 0, strlen: 5 });
      const refused = await countLightList(version, 'x'.repeat(30_000), 150_000);
      expect(refused.sent).toMatchObject({ evalsha: 1, mget: 0, strlen: 5 });
      expect(refused.answer._unsafeUnwrapErr()).toMatchObject({ type: 'too_large', sessions: 5 });
    });

    test('without histories refuses small records too', async () => {
      const { answer } = await countLightList(version, '', 1);
      expect(answer._unsafeUnwrapErr().type).toBe('too_large');
    });

    test.each(['no record', 'a \x1e b \x1e c'])(
      'without histories names a session with the record %j',
      async (text) => {
        const prefix = newPrefix();
        const store = todaysRedisStore({
          client: openClient(version, { port }),
          prefix,
          timeoutMs: PATIENT_MS,
        });
        const client = new Redis(port);
        onTestFinished(() => client.disconnect());
        await insertFive(store);
        for (const id of ['s1', 's3']) await append(store, keyOf(id), ['hello']);
        await client.set(new Keyspace(prefix, 1).of(keyOf('s3')).record, text);
        const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10, historyLimit: 0 }));
        expect(page.unreadable).toEqual(['s3']);
        expect(page.records.map(({ head }) => head.id)).toEqual(['s4', 's2', 's1', 's0']);
        expect(page.records.map(({ historyCount }) => historyCount)).toEqual([0, 0, 1, 0]);
      },
    );

    test.each([
      ['small', ''],
      ['large', 'x'.repeat(70_000)],
    ])(
      'without histories shows a %s session whole while others append to it and change it',
      async (_, context) => {
        const prefix = newPrefix();
        const [writer, reader] = [0, 1].map(() =>
          todaysRedisStore({
            client: openClient(version, { port }),
            prefix,
            timeoutMs: PATIENT_MS,
          }),
        );
        if (writer === undefined || reader === undefined) throw new Error('no stores');
        const key = keyOf('busy');
        await answerOf(writer.insert(TENANT, headOf('busy', NOON, { context }), live('ACTIVE')));
        let isOver = false;
        const changing = (async () => {
          for (const at of upTo(300)) {
            await append(writer, key, [`turn ${at}`]);
            await replace(
              writer,
              key,
              live(at % 2 === 0 ? 'PAUSED' : 'ACTIVE', { revision: at + 2 }),
            );
          }
          isOver = true;
        })();
        let last = 0;
        while (!isOver) {
          const { records, unreadable } = await answerOf(
            reader.list(TENANT, { offset: 0, limit: 10, historyLimit: 0 }),
          );
          expect(unreadable).toEqual([]);
          const { historyCount = -1, sequence = -1, history } = records[0] ?? {};
          expect(history).toEqual([]);
          expect(historyCount).toBeGreaterThanOrEqual(last);
          // Each entry and each change of the state counts on by one.
          expect(sequence).toBeGreaterThan(historyCount);
          last = historyCount;
        }
        await changing;
        expect(last).toBeGreaterThan(0);
      },
    );

    /** What another process does to a session while a list reads it. */
    const changes = {
      'another session takes its id': async (store: TodaysRedisStore) => {
        const labels = { said: 'later' };
        await answerOf(store.remove(keyOf('one')));
        await answerOf(store.insert(TENANT, headOf('one'), live('ACTIVE', { labels })));
        await append(store, keyOf('one'), ['later']);
      },
      'its entries are redacted': async (store: TodaysRedisStore) => {
        const { entries } = await foundIn(store.port, { limit: 9 });
        const positions = entries.map(({ position }) => position);
        await answerOf(store.redact(keyOf('one'), positions, NOON));
      },
      'it is rewound': async (store: TodaysRedisStore) => {
        const later = { entries: [say('later')], now: NOON, after: 0 };
        await answerOf(store.append(keyOf('one'), later));
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
      const prefix = newPrefix();
      const [other, counted] = [0, 1].map(() => openClient(version, { port }));
      if (other === undefined || counted === undefined) throw new Error('no clients');
      const settings = { prefix, timeoutMs: PATIENT_MS };
      const writer = todaysRedisStore({ client: other, ...settings });
      await answerOf(writer.insert(TENANT, headOf('one'), live('ACTIVE', { labels })));
      await append(writer, keyOf('one'), ['first']);
      // The versions that there are: before the change, and after it.
      const versions = [await answerOf(writer.find(keyOf('one'), range))];
      let sent = 0;
      const client = intercepting(counted, async (name, _args, run) => {
        // The store asks once, on its own, whether the server evicts keys.
        if (name === 'info') return run();
        sent += 1;
        if (sent === 2) await change(writer);
        return run();
      });
      const reader = todaysRedisStore({ client, ...settings });
      const page = { offset: 0, limit: 10, ...range };
      // Knows the settings of the store from here on, and the server the scripts.
      await answerOf(todaysRedisStore({ client: other, ...settings }).list(TENANT, page));
      expect((await reader.deployment()).isOk()).toBe(true);
      sent = 0;
      const { records } = await answerOf(reader.list(TENANT, page));
      versions.push(await answerOf(writer.find(keyOf('one'), range)));
      for (const record of records) expect(versions).toContainEqual(record);
    });

    test('after a cursor, in either order, continues after the page before', async () => {
      const store = todaysRedisStore({
        client: openClient(version, { port }),
        prefix: newPrefix(),
        timeoutMs: PATIENT_MS,
      });
      await insertFive(store);
      const { nextCursor: next } = await answerOf(
        store.list(TENANT, { offset: 0, limit: 1, order: 'oldest' }),
      );
      const pageOf = async (range: Partial<PageRange>) => {
        const page = await answerOf(store.list(TENANT, { offset: 0, limit: 2, ...range }));
        return [page.records.map(({ head }) => head.id), page.nextCursor?.id];
      };
      expect(await pageOf({ order: 'oldest' })).toEqual([['s0', 's1'], 's1']);
      expect(await pageOf({ order: 'oldest', cursor: next })).toEqual([['s1', 's2'], 's2']);
      expect(await pageOf({ cursor: next })).toEqual([[], undefined]);
      expect(await pageOf({ offset: 2 })).toEqual([['s2', 's1'], 's1']);
      expect(await pageOf({ offset: 3 })).toEqual([['s1', 's0'], undefined]);
    });

    test('drops index entries without a session: the page is full, and the total right', async () => {
      const client = openClient(version, { port });
      const prefix = newPrefix();
      const store = todaysRedisStore({ client, prefix, timeoutMs: PATIENT_MS });
      await insertFive(store);
      const { index } = new Keyspace(prefix, 1).of(keyOf('s0'));
      for (const stale of upTo(20))
        await client.call('ZADD', index, String(NOON + 1), `stale${stale}`);
      // More than a page of them at the top.
      for (const stale of upTo(7))
        await client.call('ZADD', index, String(NOON + 9), `newer${stale}`);
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 40 }));
      expect(page.records.map(({ head }) => head.id)).toEqual(['s4', 's3', 's2', 's1', 's0']);
      expect([page.total, page.unreadable]).toEqual([5, []]);
      expect((await store.repair()).isOk()).toBe(true);
      expect(await client.call('ZCARD', index)).toBe(5);
    });
  });
});
