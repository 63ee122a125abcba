import { describe, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keys.js';
import type { PageRange } from '../../../src/store.js';
import { describeSessionStore } from '../../../src/testing/index.js';
import { headOf, keyOf, live, NOON, TENANT, upTo } from '../../../src/testing/samples.js';
import { answerOf, idsOn } from '../../../src/testing/steps.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { clientVersions, openClient, type TestClient } from '../../support/redis-clients.js';
import { commandsOf } from '../../support/redis-commands.js';
import { startRedis } from '../../support/redis-server.js';

let prefixes = 0;
const newPrefix = (): string => {
  prefixes += 1;
  return `lists-${process.pid}-${prefixes}`;
};

const insertFive = async (store: RedisSessionStore): Promise<void> => {
  for (const at of upTo(5)) await answerOf(store.insert(TENANT, headOf(`s${at}`, NOON + at), live('IDLE')));
};

describeWithRedis('a list', ({ port }) => {
  describe.each(clientVersions)('%s', (version) => {
    /** A server of its own, so that nobody else's commands are counted. */
    const countLists = async (store: (port: number) => Promise<RedisSessionStore>) => {
      const server = await startRedis();
      try {
        const opened = await store(server.port);
        await insertFive(opened);
        await idsOn(opened, TENANT);
        const before = await commandsOf(server.port);
        expect(await idsOn(opened, TENANT, 1, 2)).toEqual(['s3', 's2']);
        expect(await idsOn(opened, TENANT, 5, 2)).toEqual([]);
        const after = await commandsOf(server.port);
        const used = Object.keys(after).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const);
        return Object.fromEntries(used.filter(([name, count]) => count > 0 && name !== 'info'));
      } finally {
        await server.stop();
      }
    };

    test('is one SORT and one ZCARD', async () => {
      const used = await countLists(
        async (at) => new RedisSessionStore({ client: openClient(version, { port: at }), prefix: 'lists' }),
      );
      expect(used).toEqual({ sort: 2, zcard: 2 });
    });

    test('is one script behind a cursor or in another order, and where a full page ends the list', async () => {
      const server = await startRedis();
      try {
        const store = new RedisSessionStore({ client: openClient(version, { port: server.port }), prefix: 'lists' });
        await insertFive(store);
        const { next } = await answerOf(store.list(TENANT, { offset: 0, limit: 1, order: 'oldest' }));
        const countOf = async (range: Partial<PageRange>) => {
          const before = await commandsOf(server.port);
          const page = await answerOf(store.list(TENANT, { offset: 0, limit: 2, ...range }));
          const after = await commandsOf(server.port);
          const sent = ['sort', 'evalsha', 'eval', 'zrevrange'].map((name) => (after[name] ?? 0) - (before[name] ?? 0));
          return [page.records.map(({ head }) => head.id), page.next?.id, ...sent];
        };
        expect(await countOf({ order: 'oldest' })).toEqual([['s0', 's1'], 's1', 0, 1, 0, 0]);
        expect(await countOf({ order: 'oldest', after: next })).toEqual([['s1', 's2'], 's2', 0, 1, 0, 0]);
        expect(await countOf({ after: next })).toEqual([[], undefined, 0, 1, 0, 0]);
        expect(await countOf({ offset: 2 })).toEqual([['s2', 's1'], 's1', 1, 0, 0, 0]);
        expect(await countOf({ offset: 3 })).toEqual([['s1', 's0'], undefined, 1, 1, 0, 0]);
      } finally {
        await server.stop();
      }
    });

    test('sends both in one flight', async () => {
      const store = new RedisSessionStore({ client: patient(openClient(version, { port })), prefix: newPrefix() });
      expect(await answerOf(store.list(TENANT, { offset: 0, limit: 10 }))).toEqual({
        records: [],
        total: 0,
        unreadable: [],
      });
    });

    test('takes ZREVRANGE and MGET for a user who may not use all keys, and asks for SORT once only', async () => {
      const used = await countLists(async (at) => {
        const admin = openClient(version, { port: at });
        await admin.call('ACL', 'SETUSER', 'host', 'on', '>secret', '~lists:*', '+@all');
        const client = openClient(version, { port: at, username: 'host', password: 'secret' });
        return new RedisSessionStore({ client, prefix: 'lists' });
      });
      expect(used).toEqual({ zrevrange: 2, zcard: 2, mget: 1 });
    });

    test('drops what its index names and nobody has: the page is whole, and the total right', async () => {
      const client = openClient(version, { port });
      const prefix = newPrefix();
      const store = new RedisSessionStore({ client, prefix });
      await insertFive(store);
      const { index } = new Keyspace(prefix, 1).of(keyOf('s0'));
      for (const stale of upTo(20)) await client.call('ZADD', index, String(NOON + 1), `stale${stale}`);
      // More than a page of them at the top.
      for (const stale of upTo(7)) await client.call('ZADD', index, String(NOON + 9), `newer${stale}`);
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 40 }));
      expect(page.records.map(({ head }) => head.id)).toEqual(['s4', 's3', 's2', 's1', 's0']);
      expect([page.total, page.unreadable]).toEqual([5, []]);
      expect(await client.zcard(index)).toBe(5);
      for (const stale of upTo(2)) await client.call('ZADD', index, String(NOON + 9), `newest${stale}`);
      expect(await idsOn(store, TENANT, 0, 2)).toEqual(['s4', 's3']);
    });
  });

  describe('for a user who may not use all keys, the contract', () => {
    describeSessionStore(test, async () => {
      const admin = openClient('ioredis 5', { port });
      await admin.call('ACL', 'SETUSER', 'lists-host', 'on', '>secret', '~lists-*', '+@all');
      const client = openClient('ioredis 5', { port, username: 'lists-host', password: 'secret' });
      return new RedisSessionStore({ client, prefix: newPrefix() });
    });
  });
});

/** A client that answers nothing before it has been asked twice. */
const patient = (client: TestClient): TestClient => {
  let asked = 0;
  let release = (): void => {};
  const twice = new Promise<void>((resolve) => {
    release = resolve;
  });
  return new Proxy(client, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: readonly unknown[]) => {
        asked += 1;
        if (asked === 2) release();
        await twice;
        return Reflect.apply(value, target, args);
      };
    },
  });
};
