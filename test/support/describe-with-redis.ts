import { describe, inject, it } from 'vitest';
import type { RedisAddress } from './redis-server.js';

/** `describe` for what needs a real Redis: gives the one that the run shares, or skips in plain sight without one. */
export function describeWithRedis(name: string, define: (redis: RedisAddress) => void): void {
  const redis = inject('redis');
  describe(name, () => {
    if (redis === undefined) it.skip('needs a redis-server, and none was found');
    else define(redis);
  });
}
