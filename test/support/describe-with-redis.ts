import { describe, inject, it } from 'vitest';
import type { RedisAddress } from './redis-server.js';
import { reasonToSkip, requirements } from './requirements.js';

/** `describe` with the real Redis that the run shares. Reports the suite as skipped without one. */
export function describeWithRedis(name: string, define: (redis: RedisAddress) => void): void {
  const redis = inject('redis');
  describe(name, () => {
    if (redis === undefined) it.skip(reasonToSkip(requirements.redis));
    else define(redis);
  });
}
