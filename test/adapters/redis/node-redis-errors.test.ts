import { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { senderOf } from '../../../adapters/redis/clients.js';
import {
  type NodeRedisClient,
  type RedisClient,
  RedisSessionStore,
} from '../../../adapters/redis/index.js';
import { errorOf } from '../../../src/testing/answers.js';
import { begin, key, said } from '../../../src/testing/commits.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openAppend, openAppendOf } from '../../support/redis-commits.js';
import { startRedis } from '../../support/redis-server.js';

const notApplied = { type: 'store_unavailable', outcome: 'not_applied' };
const mine = openAppendOf(key, ['mine']);

interface Opened extends NodeRedisClient {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  destroy(): void;
}

/** A client that is connected, and is destroyed with the test. */
const connected = async <C extends Opened>(client: C): Promise<C> => {
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => {
    if (client.isOpen) client.destroy();
  });
  return client;
};

let prefixes = 0;

/** A session, a hasty store with a client, and what others find in it. */
const open = async (client: RedisClient, port: number) => {
  prefixes += 1;
  const prefix = `node-redis-${process.pid}-${prefixes}`;
  const direct = await connected(createClient({ socket: { port } }));
  const others = new RedisSessionStore({ client: direct, prefix, timeoutMs: PATIENT_MS });
  await begin(others, key);
  const patient = new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS });
  await openAppend(patient, key, ['before']);
  const store = new RedisSessionStore({ client, prefix, timeoutMs: 200 });
  return { store, others, direct };
};

describeWithRedis('an append that node-redis has not sent', ({ port }) => {
  test('is not_applied if its queue is full', async () => {
    const full = { socket: { port }, commandsQueueMaxLength: 3 };
    const client = await connected(createClient(full));
    const { store, others } = await open(client, port);
    const held = [1, 2, 3].map(() => client.sendCommand(['BLPOP', 'nothing', '1']));
    expect(await errorOf(store.change(mine))).toMatchObject(notApplied);
    await Promise.all(held);
    expect(await said(others, key)).toEqual(['before']);
  });

  test('is not_applied if its pool has no client for it', async () => {
    const narrow = { minimum: 1, maximum: 1, acquireTimeout: 20 };
    const pool = await connected(createClientPool({ socket: { port } }, narrow));
    const { store, others } = await open(pool, port);
    const held = pool.sendCommand(['BLPOP', 'nothing', '1']);
    expect(await errorOf(store.change(mine))).toMatchObject(notApplied);
    await held;
    expect(await said(others, key)).toEqual(['before']);
  });

  test('is not_applied if the client is offline without a queue', async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const at = { socket: { port: server.port }, disableOfflineQueue: true };
    const client = await connected(createClient(at));
    const { store } = await open(client, server.port);
    await server.stop();
    await expect(client.sendCommand(['PING'])).rejects.toThrow();
    expect(await errorOf(store.change(mine))).toMatchObject(notApplied);
  });

  test('is not_applied if its pool is closing', async () => {
    const pool = await connected(createClientPool({ socket: { port } }));
    const { store, others } = await open(pool, port);
    const held = pool.sendCommand(['BLPOP', 'nothing', '1']);
    const closed = pool.close();
    expect(pool.isOpen).toBe(true);
    expect(await errorOf(store.change(mine))).toMatchObject({
      ...notApplied,
      message: 'the Redis client is closed',
    });
    await Promise.all([held, closed]);
    expect(await said(others, key)).toEqual(['before']);
  });

  test('is not_applied if the client was never connected', async () => {
    const { store } = await open(await connected(createClient({ socket: { port } })), port);
    const early = new RedisSessionStore({ client: createClient({ socket: { port } }) });
    expect(await errorOf(early.change(mine))).toMatchObject(notApplied);
    await openAppend(store, key, ['after']);
  });
});

describe('a node-redis error', () => {
  const fatesOf = (text: string) => ({
    client: senderOf(createClient()).fateOf(new Error(text)),
    cluster: senderOf(createCluster({ rootNodes: [] })).fateOf(new Error(text)),
    sentinel: senderOf(
      createSentinel({ name: 'a', sentinelRootNodes: [{ host: 'localhost', port: 1 }] }),
    ).fateOf(new Error(text)),
  });

  test.each([
    'The client is offline',
    'The queue is full',
    'Timeout waiting for a client after 9ms',
  ])('"%s" means unsent, but possibly sent before behind sentinels', (text) => {
    expect(fatesOf(text)).toEqual({ client: 'unsent', cluster: 'unsent', sentinel: undefined });
  });

  // The server runs the commands behind the failed login as the previous user.
  test.each([
    'WRONGPASS invalid username-password pair or user is disabled.',
    "NOPERM User limited has no permissions to run the 'select' command",
    "NOPERM this user has no permissions to run the 'select' command or its subcommand",
    "NOPERM User limited has no permissions to run the 'client|tracking' command",
  ])('"%s" concerns the login, and says nothing about the command', (text) => {
    expect(fatesOf(text)).toEqual({ client: 'lost', cluster: 'lost', sentinel: 'lost' });
  });

  test.each([
    "NOPERM User limited has no permissions to run the 'evalsha' command",
    'NOAUTH Authentication required.',
    "OOM command not allowed when used memory > 'maxmemory'.",
    'Socket closed unexpectedly',
    'The client is closed',
    'Disconnects client',
    '',
  ])('"%s" is treated like any client\'s error', (text) => {
    expect(fatesOf(text)).toEqual({ client: undefined, cluster: undefined, sentinel: undefined });
  });
});
