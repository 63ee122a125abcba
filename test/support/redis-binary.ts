import { execFileSync } from 'node:child_process';
import { findBinary } from './find-binary.js';

/** The redis-server to test against. */
export const findRedisServer = (): string | undefined => findBinary('redis-server', 'REDIS_SERVER');

/** The major version of the redis-server to test against; 0 where there is none. */
export const redisMajor = (): number => {
  const binary = findRedisServer();
  if (binary === undefined) return 0;
  const [, major = '0'] =
    /v=(\d+)/.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(major);
};
