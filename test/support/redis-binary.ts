import { execFileSync, spawnSync } from 'node:child_process';
import { findBinary } from './find-binary.js';

export const findRedisServer = (): string | undefined => findBinary('redis-server', 'REDIS_SERVER');

/** Major version of the redis-server; 0 if there is none. */
export const redisMajor = (): number => {
  const binary = findRedisServer();
  if (binary === undefined) return 0;
  const [, major = '0'] =
    /v=(\d+)/.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(major);
};

/** Whether the redis-server was built with TLS: only then does it explain a wrong TLS setting. */
export const redisHasTls = (): boolean => {
  const binary = findRedisServer();
  if (binary === undefined) return false;
  const { stderr } = spawnSync(binary, ['--tls-auth-clients', 'perhaps'], { encoding: 'utf8' });
  return stderr.includes('must be one of');
};
