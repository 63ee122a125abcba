import { findBinary } from './find-binary.js';

export const HOW_TO_GET_REDIS =
  'Install one (Debian: apt-get install redis-server, macOS: brew install redis), or set REDIS_SERVER to the path of a ' +
  'redis-server or valkey-server binary.';

/** The redis-server to test against. */
export const findRedisServer = (): string | undefined => findBinary('redis-server', 'REDIS_SERVER');

export const redisAvailable = (): boolean => findRedisServer() !== undefined;
