import { describe, inject, it } from 'vitest';
import type { RedisAddress } from './redis-server.js';
import { reasonToSkip, requirements } from './requirements.js';

/**
 * `describe` for what needs a real Redis: gives the one that the run shares, or skips in plain
 * sight without one.
 */
export function describeWithRedis(name: string, define: (redis: RedisAddress) => void): void {
  const redis = inject('redis');
  describe(name, () => {
    if (redis === undefined) it.skip(reasonToSkip(requirements.redis));
    else define(redis);
  });
}
