import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { Redis as Valkey } from 'iovalkey';
import { createClient, createClientPool } from 'redis';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { RedisClient } from '../../adapters/redis/index.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { forFurtherClients } from '../support/contract-cases.js';
import { describeRedisSessionStore } from '../support/describe-redis-session-store.js';
import { describeWithRedis } from '../support/describe-with-redis.js';

/** A client of a host, and how the host closes it. */
interface Opened {
  readonly client: RedisClient;
  readonly close: () => Promise<unknown>;
}

const ioredis = <C extends RedisClient & { quit(): Promise<unknown> }>(client: C): Opened => ({
  client,
  close: () => client.quit(),
});

const nodeRedis = async <
  C extends RedisClient & { connect(): Promise<unknown>; close(): Promise<unknown> },
>(
  client: C,
): Promise<Opened> => {
  await client.connect();
  return { client, close: () => client.close() };
};

describeWithRedis('RedisSessionStore on a real Redis', ({ port, host }) => {
  const at = { socket: { port, host } };
  const keyPrefix = 'host:';
  const connect: Readonly<Record<string, () => Opened | Promise<Opened>>> = {
    'ioredis 5 with a keyPrefix': () => ioredis(new Redis({ port, host, keyPrefix })),
    'ioredis 6 with RESP 3': () =>
      ioredis(new Redis6({ port, host, protocol: 3, replyMapping: 'resp3' })),
    'node-redis 6 with a keyPrefix': () => nodeRedis(createClient({ ...at, keyPrefix })),
    iovalkey: () => ioredis(new Valkey({ port, host })),
    'node-redis 6': () => nodeRedis(createClient(at)),
    'ioredis 5': () => ioredis(new Redis({ port, host })),
    'ioredis 6 with a keyPrefix': () => ioredis(new Redis6({ port, host, keyPrefix })),
    'ioredis 6': () => ioredis(new Redis6({ port, host })),
    'node-redis 6 with RESP 2': () => nodeRedis(createClient({ ...at, RESP: 2 })),
    'node-redis 6 with a pool and a keyPrefix': () =>
      nodeRedis(createClientPool({ ...at, keyPrefix }, { maximum: 3 })),
    'node-redis 6 with replies as buffers': () =>
      nodeRedis(
        createClient({ ...at, commandOptions: { typeMapping: { 36: Buffer, 58: String } } }),
      ),
  };
  // Each client once; all of them with `npm run test:long`.
  const tried = Object.entries(connect).slice(0, moreIfLong(4, Number.POSITIVE_INFINITY));
  for (const [place, [name, open]] of tried.entries()) {
    describe(name, () => {
      let opened: readonly [Opened, Opened];
      beforeAll(async () => {
        opened = [await open(), await open()];
      });
      afterAll(() => Promise.all(opened.map(({ close }) => close())));
      describeRedisSessionStore(() => [opened[0].client, opened[1].client], {
        register: place === 0 ? test : forFurtherClients(test),
      });
    });
  }
});
