import { createSentinel } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NodeRedisSentinel, RedisSessionStore } from '../../../adapters/redis/index.js';
import { begin } from '../../../src/testing/commits.js';
import { keyOf } from '../../../src/testing/samples.js';
import { isLong } from '../../support/continuous-integration.js';
import { forFurtherClients } from '../../support/contract-cases.js';
import { describeRedisSessionStore } from '../../support/describe-redis-session-store.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { commandsOf } from '../../support/redis-commands.js';
import { MASTER, startWatched, type WatchedRedis } from '../../support/redis-sentinel.js';
import { errorOf } from '../../support/sessions.js';

interface Opened extends NodeRedisSentinel {
  close(): Promise<unknown>;
}

const connect = {
  'node-redis 6': (port: number): Promise<Opened> =>
    createSentinel({ name: MASTER, sentinelRootNodes: [{ host: '127.0.0.1', port }] }).connect(),
  'node-redis 6 with a keyPrefix': (port: number): Promise<Opened> =>
    createSentinel({
      name: MASTER,
      sentinelRootNodes: [{ host: '127.0.0.1', port }],
      keyPrefix: 'host:',
    }).connect(),
} as const;

describeWithRedis('RedisSessionStore behind a sentinel', () => {
  let watched: WatchedRedis;
  beforeAll(async () => {
    watched = await startWatched();
  });
  afterAll(() => watched.stop());

  describe.each(Object.entries(connect))('%s', (name, open) => {
    let clients: readonly [Opened, Opened];
    beforeAll(async () => {
      const { port } = watched.sentinel;
      clients = [await open(port), await open(port)];
    });
    afterAll(() => Promise.all(clients.map((client) => client.close())));

    // With a prefix, everything happens that happens without one.
    if (name === 'node-redis 6 with a keyPrefix' || isLong)
      describeRedisSessionStore(() => clients, { register: forFurtherClients(test) });

    test('leaves a call not_applied after the host closed the client', async () => {
      const client = await open(watched.sentinel.port);
      const store = new RedisSessionStore({ client, prefix: 'closed', timeoutMs: PATIENT_MS });
      await begin(store, keyOf(`closed by ${name}`));
      const { evalsha: before } = await commandsOf(watched.master.port);
      await client.close();
      expect(await errorOf(store.repair())).toMatchObject({
        type: 'store_unavailable',
        outcome: 'not_applied',
      });
      expect(await commandsOf(watched.master.port)).toMatchObject({ evalsha: before });
    });
  });
});
