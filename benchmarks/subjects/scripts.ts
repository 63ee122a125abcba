import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** Calls a script that does one write and nothing else: the least that an atomic write costs. */
export type BareScript = (keys: readonly string[], args: readonly string[]) => Promise<unknown>;

export const loadScript = async (redis: Redis, lua: string): Promise<BareScript> => {
  await redis.script('LOAD', lua);
  const sha1 = createHash('sha1').update(lua).digest('hex');
  return async (keys, args) => redis.evalsha(sha1, keys.length, ...keys, ...args);
};
