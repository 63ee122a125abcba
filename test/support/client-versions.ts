import { Redis, type RedisOptions } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { createClient } from 'redis';
import type { IoredisClient, NodeRedisClient } from '../../adapters/redis/index.js';
import { isLong } from './continuous-integration.js';

/** Methods that the tests use on the host's client. */
interface Tools {
  call(command: string, ...args: string[]): Promise<unknown>;
  quit(): Promise<unknown>;
  disconnect(): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** A client of the host, with the methods that the store and the tests use. */
export type TestClient = (IoredisClient | NodeRedisClient) & Tools;

/** Client settings that the tests vary, with the names of ioredis. */
export type ClientOptions = Pick<
  RedisOptions,
  | 'host'
  | 'port'
  | 'username'
  | 'password'
  | 'keyPrefix'
  | 'lazyConnect'
  | 'commandTimeout'
  | 'connectTimeout'
  | 'socketTimeout'
  | 'retryStrategy'
  | 'enableOfflineQueue'
  | 'maxRetriesPerRequest'
  | 'autoResendUnfulfilledCommands'
>;

/** The equivalent settings of node-redis, which has no limit for retries of commands. */
const settingsOf = (options: ClientOptions) => {
  const { host, port, username, password, keyPrefix, enableOfflineQueue = true } = options;
  const { commandTimeout, connectTimeout, socketTimeout, retryStrategy } = options;
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(keyPrefix !== undefined && { keyPrefix }),
    ...(commandTimeout !== undefined && { commandOptions: { timeout: commandTimeout } }),
    disableOfflineQueue: !enableOfflineQueue,
    socket: {
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
      ...(connectTimeout !== undefined && { connectTimeout }),
      ...(socketTimeout !== undefined && { socketTimeout }),
      ...(retryStrategy && {
        reconnectStrategy: (retries: number) => Number(retryStrategy(retries + 1)) || false,
      }),
    },
  };
};

/** What the tests need of a client of node-redis. */
interface NodeRedis extends Pick<Tools, 'quit' | 'on'> {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  sendCommand: NodeRedisClient['sendCommand'];
}

/** Number of key arguments: all arguments of these commands are keys, or none is. */
const KEYS_IN: Readonly<Record<string, number>> = { DEL: 99, EXISTS: 99, KEYS: 0, EVAL: 0 };

/** Connects by itself like ioredis, and adds the methods of the tests. */
const connecting = <C extends NodeRedis>(client: C, options: ClientOptions) => {
  const { lazyConnect = false, keyPrefix = '' } = options;
  if (!lazyConnect) client.connect().catch(() => {});
  return Object.assign(client, {
    call: (command: string, ...args: string[]) => {
      const count = KEYS_IN[command] ?? 1;
      const named = args.map((arg, at) => (at < count ? keyPrefix + arg : arg));
      return client.sendCommand([command, ...named], { typeMapping: { 37: Array, 44: String } });
    },
    disconnect: () => {
      if (client.isOpen) client.destroy();
    },
  });
};

const versions = {
  'ioredis 5': (options: ClientOptions): TestClient => new Redis(options),
  'ioredis 6': (options: ClientOptions): TestClient => new Redis6(options),
  'node-redis 6': (options: ClientOptions): TestClient =>
    connecting(createClient(settingsOf(options)), options),
} as const;

export type ClientVersion = keyof typeof versions;

const allVersions: readonly ClientVersion[] = ['ioredis 5', 'ioredis 6', 'node-redis 6'];

const isTried = (version: ClientVersion): boolean => {
  const beginning = process.env['COLLOQUY_CLIENTS'];
  if (beginning !== undefined) return version.startsWith(beginning);
  // Every run tests the contract on ioredis 6.
  return isLong || process.env['COLLOQUY_FAULTS'] === 'full' || version !== 'ioredis 6';
};

/**
 * The clients to test: one of each kind in a short run. COLLOQUY_CLIENTS=node-redis selects those
 * whose names begin with it.
 */
export const clientVersions: readonly ClientVersion[] = allVersions.filter(isTried);

export const isNodeRedis = (version: ClientVersion): boolean => version.startsWith('node-redis');

export const isConnected = (client: TestClient): boolean =>
  Reflect.get(client, 'isReady') === true || Reflect.get(client, 'status') === 'ready';

/** Connects a client, which the caller closes. */
export const connectClient = (version: ClientVersion, options: ClientOptions): TestClient => {
  const client = versions[version](options);
  // A client without an error listener writes to the console, and one of node-redis throws.
  client.on('error', () => {});
  return client;
};
