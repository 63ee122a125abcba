import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { CliError, messageOf, unwrap } from './cli-error.js';
import type { Database } from './database.js';
import { databaseUrl } from './database-url.js';
import { requirePackage } from './load-package.js';

const help = `  --redis URL, $REDIS_URL  A Redis server, such as redis://127.0.0.1:6379. Needs the package ioredis.
    Other users of this machine can see options: put a URL with a password in REDIS_URL.
  --prefix TEXT, $COLLOQUY_PREFIX  Prefix of the keys in Redis. Default: colloquy.
  --partitions N, $COLLOQUY_PARTITIONS  Number of hash slots over which the tenants are distributed.
    Default: what is stored there; initially 1.
`;

const TIMEOUT_MS = 4000;

/**
 * Connects to Redis. Sends no PING or other extra command, for users with least privilege.
 */
const connect = async (url: URL, storeName: string): Promise<Redis> => {
  const { Redis: Client } = await requirePackage('ioredis', () => import('ioredis'));
  let isConnected = false;
  const retryStrategy = (times: number) => (isConnected ? Math.min(times * 100, 2000) : null);
  const client = new Client(url.href, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    retryStrategy,
  });
  const failed = new Promise((resolve) => client.on('error', resolve));
  const connected = client.connect().catch((cause: unknown) => cause);
  const cause = await Promise.race([
    failed,
    connected,
    setTimeout(TIMEOUT_MS, 'no answer within 4 s', { ref: false }),
  ]);
  isConnected = cause === undefined;
  if (isConnected) return client;
  client.disconnect();
  throw new CliError(`${storeName}: ${messageOf(cause)}`);
};

const form = {
  variable: 'REDIS_URL',
  protocol: /^rediss?:$/,
  pathname: /^(\/\d*)?$/,
  example: 'redis://127.0.0.1 or rediss://user:password@host:6379/0',
};

export const redis: Database = {
  help,
  open: async (given, { events = false }, options) => {
    const url = databaseUrl(given, options, form);
    const prefix =
      options.text('prefix', /^[^{}*]{1,128}$/, 'be 1 to 128 characters without {, } and *') ??
      'colloquy';
    const partitions = options.integer('partitions', 1, 16_384, 1);
    const hasPartitions = options.given.has('partitions');
    const storeName = `Redis at ${url.hostname}:${url.port || 6379}`;
    const client = await connect(url, storeName);
    const settings = {
      client,
      prefix,
      ...(hasPartitions && { partitions }),
      ...(events && { events }),
    };
    try {
      const store = new RedisSessionStore(settings);
      unwrap(storeName, await store.deployment());
      return { store, storeName, isShared: true, close: () => client.disconnect() };
    } catch (cause) {
      client.disconnect();
      throw cause;
    }
  },
};
