import { Cluster, Redis } from 'ioredis';
import { Cluster as Cluster6, Redis as Redis6 } from 'ioredis6';
import { ok } from 'neverthrow';
import { createClient, createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type RedisClient,
  RedisSessionStore,
  type RedisSessionStoreOptions,
} from '../../../adapters/redis/index.js';
import { Keyspace } from '../../../adapters/redis/keyspace.js';
import { SessionService } from '../../../src/index.js';
import { describeSessionStore } from '../../../src/testing/index.js';
import { documentOf } from '../../readme/documents.js';
import { blocksIn } from '../../readme/samples.js';
import { forFurtherClients } from '../../support/contract-cases.js';
import { damageRedis } from '../../support/damage-redis.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { startCluster } from '../../support/redis-cluster.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';

const USER = 'colloquy';
const PASSWORD = 'change-me';

/** The settings that docs/redis.md lists, line by line. */
const documented = blocksIn(documentOf('docs/redis.md'), 'conf')
  .flatMap(({ code }) => code.replaceAll('\\\n', ' ').trim().split('\n'))
  .map((line) => line.split(/\s+/));
const rights = documented.find(([user, name]) => user === 'user' && name === USER)?.slice(2) ?? [];
const settings = documented.filter(([name]) => name !== 'user');

/** Only the client of a cluster sends these. */
const forClusters = ['cluster|slots', 'cluster|info', 'client|setname'];

/**
 * Creates, lists and removes a session, so that a list, a change and an event are written and read.
 */
const workOn = async (client: RedisClient): Promise<void> => {
  const store = new RedisSessionStore({
    client,
    prefix: USER,
    partitions: 3,
    events: true,
    timeoutMs: PATIENT_MS,
  });
  const sessions = new SessionService({ store });
  const created = await sessions.create({ face: 'ada', profile: 'tutor' });
  if (created.isErr()) throw new Error(created.error.message, { cause: created.error });
  expect((await sessions.list()).map(({ total }) => total)).toEqual(ok(1));
  expect((await store.repair()).map((report) => report.sessions)).toEqual(ok(1));
  expect((await sessions.delete(created.value.id)).isOk()).toBe(true);
};

describeWithRedis('a Redis user with the documented rights', () => {
  let server: RedisServer;
  let admin: Redis;
  let client: Redis;
  let prefixes = 0;
  const prefixOf = new WeakMap<RedisSessionStore, string>();

  beforeAll(async () => {
    server = await startRedis();
    admin = new Redis(server.port);
    await admin.call('ACL', 'SETUSER', USER, ...rights);
    client = new Redis({ port: server.port, username: USER, password: PASSWORD });
  });
  afterAll(async () => {
    client.disconnect();
    admin.disconnect();
    await server.stop();
  });

  const open = (more: Partial<RedisSessionStoreOptions> = {}): RedisSessionStore => {
    prefixes += 1;
    const prefix = `colloquy:${prefixes}`;
    const store = new RedisSessionStore({
      client,
      prefix,
      partitions: 3,
      ...more,
      timeoutMs: PATIENT_MS,
    });
    prefixOf.set(store, prefix);
    return store;
  };

  describe('fulfils the store contract', () => {
    // The cases use each command that a script may send.
    const everything = () => open({ events: true });
    describeSessionStore(forFurtherClients(test, ['live limit', 'range']), everything, {
      without: ['listen'],
      corrupt: (store, key, part) =>
        damageRedis(admin, new Keyspace(prefixOf.get(store) ?? '', 3).of(key), part),
    });
  });

  const login = { username: USER, password: PASSWORD };
  const clients = {
    'ioredis 5': async () => new Redis({ port: server.port, ...login }),
    'ioredis 6': async () => new Redis6({ port: server.port, ...login }),
    'node-redis 6': () => createClient({ socket: { port: server.port }, ...login }).connect(),
  };

  test.for(Object.entries(clients))(
    'may work, repair and read the time with %s',
    async ([, connect]) => {
      const warn = vi.spyOn(console, 'warn');
      const own = await connect();
      onTestFinished(async () => {
        await own.disconnect();
      });
      await workOn(own);
      expect(warn).not.toHaveBeenCalled();
    },
  );

  test('is denied no command and no key', async () => {
    expect(await admin.call('ACL', 'LOG')).toEqual([]);
  });

  test('has no right that remains unused', async () => {
    const stats = await admin.info('commandstats');
    const used = new Set([...stats.matchAll(/^cmdstat_([^:]+):/gm)].map(([, name = '']) => name));
    const granted = rights.flatMap((right) => (right.startsWith('+') ? [right.slice(1)] : []));
    expect(granted.length).toBeGreaterThan(0);
    expect(granted.filter((name) => !used.has(name) && !forClusters.includes(name))).toEqual([]);
  });

  test('cannot access other keys or administrative commands', async () => {
    await admin.set('other:key', 'theirs');
    await expect(client.get('other:key')).rejects.toThrow('NOPERM');
    await expect(client.flushall()).rejects.toThrow('NOPERM');
    await expect(client.config('GET', 'maxmemory')).rejects.toThrow('NOPERM');
    await expect(client.keys('colloquy:*')).rejects.toThrow('NOPERM');
  });

  test('may work, repair and read the time in a cluster', async () => {
    // One alone would not know its own address.
    const cluster = await startCluster(2);
    onTestFinished(() => cluster.stop());
    const ports = cluster.nodes.map(({ port }) => port);
    const admins = ports.map((port) => new Redis(port));
    onTestFinished(() => {
      for (const each of admins) each.disconnect();
    });
    for (const each of admins) await each.call('ACL', 'SETUSER', USER, ...rights);
    for (const open of [
      async () => new Cluster(ports, { redisOptions: login }),
      async () => new Cluster6(ports, { redisOptions: login }),
      () =>
        createCluster({
          rootNodes: ports.map((port) => ({ socket: { port } })),
          defaults: login,
        }).connect(),
    ]) {
      const inCluster = await open();
      onTestFinished(async () => {
        await inCluster.disconnect();
      });
      await workOn(inCluster);
    }
    for (const each of admins) expect(await each.call('ACL', 'LOG')).toEqual([]);
  });

  test('runs on a server with the documented settings', async () => {
    expect(settings.length).toBeGreaterThan(3);
    for (const [name = '', value = ''] of settings)
      expect(await admin.config('SET', name, value)).toBe('OK');
  });
});
