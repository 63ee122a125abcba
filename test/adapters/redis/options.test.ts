import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { createClient } from 'redis';
import {
  createClient as createClient5,
  createClientPool as createClientPool5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from 'redis5';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type RedisClient,
  RedisSessionStore,
  type RedisSessionStoreOptions,
} from '../../../adapters/redis/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin, due, idsOf, key, remove, said } from '../../../src/testing/commits.js';
import { live, NOON, operationOf, TENANT } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { oddNumbers, revoked, strange, throwing } from '../../support/hostile-values.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { openAppend } from '../../support/redis-commits.js';
import { methods, storeCalls } from '../../support/store-calls.js';

const unreachable = (): never => {
  throw new Error('the store has used a client that it has no settings for');
};
const client: RedisClient = {
  status: 'ready',
  evalsha: unreachable,
  eval: unreachable,
};

/** Makes a store as JavaScript can: with options of any type. */
const makeStore = (options: unknown): RedisSessionStore =>
  Reflect.construct(RedisSessionStore, [options]);

const CLIENT = 'client must be a client of ioredis, iovalkey or node-redis 6';

/** The constructor throws, and names the option and the rule. */
const expectRule = (options: unknown, rule: string): void => {
  expect(() => makeStore(options)).toThrow(new TypeError(`RedisSessionStore: ${rule}`));
};

describe('RedisSessionStore throws a TypeError', () => {
  test.each([undefined, null, 'options', 1])('for %s instead of options', (options) => {
    expectRule(options, 'options must be an object');
  });

  test.each(Object.entries(strange))('for a client that is %s', (name, value) => {
    const throws = /throwing|revoked/.test(name);
    expectRule({ client: value() }, throws ? 'client cannot be read: it throws' : CLIENT);
  });

  test.each([
    ['createClient', () => createClient5()],
    ['createClientPool', () => createClientPool5()],
    ['createCluster', () => createCluster5({ rootNodes: [] })],
    ['createSentinel', () => createSentinel5({ name: 'a', sentinelRootNodes: [] })],
  ])('for a client by %s of node-redis 5, which mixes up replies', (_, create) => {
    expectRule({ client: create() }, CLIENT);
  });

  test.each([undefined, {}, { evalsha: 'no function' }, 'redis://127.0.0.1'])(
    'for the client %s',
    (value) => {
      expectRule({ client: value }, CLIENT);
    },
  );

  test.each(['', 'a{b', 'a}b', 'a*', 'x'.repeat(129), null, 1, ['app']])(
    'for the prefix %j',
    (prefix) => {
      expectRule(
        { client, prefix },
        'prefix must have 1 to 128 characters, none of them {, } or *',
      );
    },
  );

  test.each([...oddNumbers, '1', null])('for partitions and timeoutMs of %s', (value) => {
    expectRule({ client, partitions: value }, 'partitions must be a whole number, at least 1');
    expectRule({ client, timeoutMs: value }, 'timeoutMs must be a whole number, at least 1');
  });

  test('for partitions, timeoutMs and events.length that are too large', () => {
    expectRule({ client, partitions: 16_385 }, 'partitions must be at most 16384');
    expectRule({ client, timeoutMs: 600_001 }, 'timeoutMs must be at most 600000');
    expectRule(
      { client, events: { length: 100_000_001 } },
      'events.length must be at most 100000000',
    );
  });

  test.each([1, 'yes', null])('for reportEnds and events of %j', (value) => {
    expectRule({ client, reportEnds: value }, 'reportEnds must be true or false');
    expectRule({ client, events: value }, 'events must be true, false or { length, client }');
  });

  test('for an unknown option, with the nearest known name', () => {
    expect(() => makeStore({ client, timeOutMs: 1 })).toThrow(/timeOutMs is unknown.*timeoutMs/);
    expect(() => makeStore({ client, events: { lenght: 1 } })).toThrow(
      /events\.lenght is unknown.*length/,
    );
  });

  test('that lists all wrong options', () => {
    expect(() => makeStore({ client: 1, prefix: '', partitions: 0 })).toThrow(
      /client .*prefix .*partitions /,
    );
  });

  test.each([
    ['throw when they are read', throwing],
    ['are a revoked proxy', revoked],
  ])('for options that %s', (_, options) => {
    expectRule(options(), 'options cannot be read: it throws');
  });
});

describeWithRedis("a host's Redis client", ({ port }) => {
  const hosts = {
    'ioredis 5': () => new Redis({ port, maxRetriesPerRequest: 7 }),
    'ioredis 6': () => new Redis6({ port, maxRetriesPerRequest: 7 }),
    'node-redis 6': () => createClient({ socket: { port }, commandsQueueMaxLength: 700 }),
  } as const;

  test.each(clientVersions)('keeps its settings, with %s', async (version) => {
    const host = hosts[version]();
    onTestFinished(async () => {
      await host.quit();
    });
    if ('isOpen' in host) await host.connect();
    const ping = () => ('isOpen' in host ? host.ping() : host.ping());
    await ping();
    const look = () => ({
      options: JSON.stringify(host.options),
      listeners: host.eventNames().map((event) => [event, host.listenerCount(event)]),
      members: Object.keys(host).toSorted(),
      state: [Reflect.get(host, 'status'), Reflect.get(host, 'isOpen')],
    });
    const before = look();
    const prefix = `options-${process.pid}-${version}`;
    const store = new RedisSessionStore({ client: host, prefix });
    for (const method of methods) await storeCalls[method](store);
    await begin(store, key);
    for (const method of methods) await storeCalls[method](store);
    expect(look()).toEqual(before);
    expect(await ping()).toBe('PONG');
  });

  test.each(clientVersions)(
    'serves stores of different prefixes that never see each other, with %s',
    async (version) => {
      const shared = openClient(version, { port });
      const open = (options: Partial<RedisSessionStoreOptions>) =>
        new RedisSessionStore({
          client: shared,
          prefix: `options-${process.pid}-${version}-a`,
          ...options,
        });
      const one = open({});
      const prefixed = openClient(version, { port, keyPrefix: 'host:' });
      const others = [
        open({ prefix: `options-${process.pid}-${version}-b` }),
        open({ client: prefixed }),
      ];
      await begin(one, key, { state: live('ACTIVE', { deadline: NOON + 1 }) });
      await openAppend(one, key, ['mine']);
      for (const other of others) {
        expect(await answerOf(other.find(key))).toBeUndefined();
        expect(await idsOf(other, TENANT)).toEqual([]);
        expect(await due(other, NOON + 1)).toEqual([]);
        expect(await remove(other, key)).toEqual({ outcome: 'refused', guard: 'present' });
        await begin(other, key);
        await openAppend(other, key, ['theirs']);
      }
      expect(await said(one, key)).toEqual(['mine']);
      for (const other of others) expect(await said(other, key)).toEqual(['theirs']);
      expect(await due(open({}), NOON + 1)).toEqual([{ ...key, dueAt: NOON + 1 }]);
    },
  );

  test.each(clientVersions)(
    'prefixes all keys of a store with keyPrefix and prefix, with %s',
    async (version) => {
      const prefix = `options-${process.pid}-${version}-keys`;
      const prefixed = openClient(version, { port, keyPrefix: 'host:' });
      const store = new RedisSessionStore({ client: prefixed, prefix });
      await begin(store, key, { state: live('ACTIVE', { deadline: NOON + 1 }) });
      await openAppend(store, key, ['hello'], { operation: operationOf('op') });
      const client = openClient(version, { port });
      const keys = async () => {
        const all = [await client.call('KEYS', `*${prefix}*`)].flat().map(String);
        expect(all.filter((name) => !name.startsWith(`host:${prefix}:{0}:`))).toEqual([]);
        // Write markers expire by themselves.
        return new Set(all.filter((name) => !name.includes(':write:')));
      };
      const named = (...names: readonly string[]) =>
        new Set(names.map((name) => `host:${prefix}:{0}:${name}`));
      const shared = ['index:acme', 'active:acme', 'deadlines:acme', 'tenants', 'deployment'];
      expect(await keys()).toEqual(
        named('record:acme:one', 'journal:acme:one', 'operations:acme:one', ...shared),
      );
      expect(await remove(store, key)).toEqual({ outcome: 'made' });
      expect(await keys()).toEqual(named('deployment'));
    },
  );
});
