import { Redis, type RedisOptions } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import type { RedisClient } from '../../adapters/redis/index.js';

/** A client as hosts have it: what the store needs of it, and what the tests do with it. */
export interface TestClient extends RedisClient {
  call(command: string, ...args: string[]): Promise<unknown>;
  quit(): Promise<unknown>;
  disconnect(): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The settings of a client that the tests vary. */
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

const versions = {
  'ioredis 5': (options: ClientOptions): TestClient => new Redis(options),
  'ioredis 6': (options: ClientOptions): TestClient => new Redis6(options),
} as const;

export type ClientVersion = keyof typeof versions;

export const clientVersions: readonly ClientVersion[] = ['ioredis 5', 'ioredis 6'];

/** A client that the caller closes. */
export const connectClient = (version: ClientVersion, options: ClientOptions): TestClient => {
  const client = versions[version](options);
  // A client without an error listener writes to the console.
  client.on('error', () => {});
  return client;
};
