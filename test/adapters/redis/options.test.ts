import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type RedisClient, RedisSessionStore, type RedisSessionStoreOptions } from '../../../adapters/redis/index.js';
import { headOf, keyOf, live, NOON, TENANT } from '../../../src/testing/samples.js';
import { answerOf, append, dueOf, idsOn, said } from '../../../src/testing/steps.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { oddNumbers, revoked, strange, throwing } from '../../support/hostile-values.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { methods, storeCalls } from '../../support/store-calls.js';

const unreachable = (): never => {
  throw new Error('the store has used a client that it has no settings for');
};
const client: RedisClient = {
  status: 'ready',
  get: unreachable,
  mget: unreachable,
  evalsha: unreachable,
  eval: unreachable,
  zadd: unreachable,
  zrangebyscore: unreachable,
};

/** Makes a store as JavaScript can: with options of any type. */
const makeStore = (options: unknown): RedisSessionStore => Reflect.construct(RedisSessionStore, [options]);

const expectRule = (options: unknown, rule: string): void => {
  expect(() => makeStore(options)).toThrow(new TypeError(`RedisSessionStore: ${rule}`));
};

describe('options that break a rule are named when the store is made', () => {
  const notAnObject = 'options must be an object';
  const notAClient = 'client must be an ioredis client';
  const badPrefix = 'prefix must have 1 to 128 characters, none of them {, } or *';
  const broken = (name: string) => new RegExp(`^RedisSessionStore: ${name} must be `);

  test.each([undefined, null, 'options', 1])('%s instead of options', (options) => expectRule(options, notAnObject));

  test.each(Object.entries(strange))('client: %s', (_, value) => {
    expect(() => makeStore({ client: value() })).toThrow(TypeError);
  });
  test.each([undefined, {}, { evalsha: 'no function' }, 'redis://127.0.0.1'])('client: %s', (value) =>
    expectRule({ client: value }, notAClient),
  );

  test.each(['', 'a{b', 'a}b', 'a*', 'x'.repeat(129), null, 1, ['app']])('prefix: %j', (prefix) =>
    expectRule({ client, prefix }, badPrefix),
  );

  test.each([...oddNumbers, 16_385, '1', null])('partitions: %s', (partitions) => {
    expect(() => makeStore({ client, partitions })).toThrow(TypeError);
    expect(() => makeStore({ client, partitions })).toThrow(broken('partitions'));
  });

  test.each([...oddNumbers, 600_001, '1', null])('timeoutMs: %s', (timeoutMs) => {
    expect(() => makeStore({ client, timeoutMs })).toThrow(TypeError);
    expect(() => makeStore({ client, timeoutMs })).toThrow(broken('timeoutMs'));
  });

  test('all that are wrong at once, and those that nobody knows', () => {
    const make = () => makeStore({ client, prefix: '', partitions: 0, timeoutMs: 0, statusIndex: 1, partition: 1 });
    expect(make).toThrow(/partition is unknown.*partitions/);
    for (const name of ['prefix', 'partitions', 'timeoutMs', 'statusIndex']) expect(make).toThrow(`${name} must `);
  });

  test.each([
    ['throw when they are looked at', throwing],
    ['are revoked', revoked],
  ])('options that %s', (_, options) => {
    expect(() => makeStore(options())).toThrow(TypeError);
  });
});

describeWithRedis("a host's client", ({ port }) => {
  const hosts = {
    'ioredis 5': () => new Redis({ port, maxRetriesPerRequest: 7 }),
    'ioredis 6': () => new Redis6({ port, maxRetriesPerRequest: 7 }),
  } as const;

  test.each(clientVersions)('is left as it was, with %s', async (version) => {
    const host = hosts[version]();
    onTestFinished(() => host.disconnect());
    await host.ping();
    const look = () => ({
      options: JSON.stringify(host.options),
      listeners: host.eventNames().map((event) => [event, host.listenerCount(event)]),
      members: Object.keys(host).toSorted(),
      status: host.status,
    });
    const before = look();
    const store = new RedisSessionStore({ client: host, prefix: `options-${process.pid}-${version}` });
    for (const method of methods) await storeCalls[method](store);
    await answerOf(store.insert(TENANT, headOf('one'), live('ACTIVE')));
    for (const method of methods) await storeCalls[method](store);
    expect(look()).toEqual(before);
    expect(await host.ping()).toBe('PONG');
  });

  test.each(clientVersions)(
    'serves stores of different prefixes that do not see each other, with %s',
    async (version) => {
      const shared = openClient(version, { port });
      const open = (options: Partial<RedisSessionStoreOptions>) =>
        new RedisSessionStore({ client: shared, prefix: `options-${process.pid}-${version}-a`, ...options });
      const one = open({});
      const prefixed = openClient(version, { port, keyPrefix: 'host:' });
      const others = [open({ prefix: `options-${process.pid}-${version}-b` }), open({ client: prefixed })];
      await answerOf(one.insert(TENANT, headOf('one'), live('ACTIVE', { deadline: NOON + 1 })));
      await append(one, keyOf('one'), ['mine']);
      for (const other of others) {
        expect(await answerOf(other.find(keyOf('one')))).toBeUndefined();
        expect(await idsOn(other, TENANT)).toEqual([]);
        expect(await dueOf(other, NOON + 1, 10)).toEqual([]);
        expect(await answerOf(other.remove(keyOf('one')))).toBe('missing');
        expect(await answerOf(other.insert(TENANT, headOf('one'), live('ACTIVE')))).toBe('inserted');
        await append(other, keyOf('one'), ['theirs']);
      }
      expect(await said(one, keyOf('one'))).toEqual(['mine']);
      for (const other of others) expect(await said(other, keyOf('one'))).toEqual(['theirs']);
      expect(await dueOf(open({}), NOON + 1, 10)).toEqual([{ ...keyOf('one'), deadline: NOON + 1 }]);
    },
  );

  test.each(clientVersions)('has all keys of a store under its keyPrefix and the prefix, with %s', async (version) => {
    const prefix = `options-${process.pid}-${version}-keys`;
    const store = new RedisSessionStore({ client: openClient(version, { port, keyPrefix: 'host:' }), prefix });
    await answerOf(store.insert(TENANT, headOf('one'), live('ACTIVE', { deadline: NOON + 1 })));
    await append(store, keyOf('one'), ['hello'], 'op');
    const keys = await openClient(version, { port }).call('KEYS', `*${prefix}*`);
    expect(new Set(Array.isArray(keys) ? keys : [])).toEqual(
      new Set(
        ['record:acme:one', 'journal:acme:one', 'names:acme:one', 'index:acme', 'deadlines:acme', 'tenants'].map(
          (key) => `host:${prefix}:{0}:${key}`,
        ),
      ),
    );
    expect(await answerOf(store.remove(keyOf('one')))).toBe('removed');
    const left = `host:${prefix}:{0}:record:acme:one`;
    const client = openClient(version, { port });
    const tenants = `host:${prefix}:{0}:tenants`;
    const removals = `host:${prefix}:{0}:removals`;
    expect(new Set([await client.call('KEYS', `*${prefix}*`)].flat())).toEqual(new Set([left, removals, tenants]));
    expect(await client.call('GET', left)).toMatch(/^2 \d{16} [01] \d{16} G /);
    // More than an hour later a sweep forgets it.
    expect(await dueOf(store, NOON + 1, 10)).toEqual([]);
    await answerOf(store.purge(Date.now() + 2 * 60 * 60 * 1000, 10));
    expect(await client.call('KEYS', `*${prefix}*`)).toEqual([]);
  });
});
