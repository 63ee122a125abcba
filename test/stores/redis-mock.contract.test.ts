import MockRedis from 'ioredis-mock';
import { describe, test } from 'vitest';
import type { TestFunction } from '../../src/testing/index.js';
import { isLong } from '../support/continuous-integration.js';
import { describeRedisSessionStore } from '../support/describe-redis-session-store.js';
import { requirements } from '../support/requirements.js';

// Its Lua interpreter takes a minute for one search of 10,000 sessions.
const register: TestFunction = (name, run) =>
  name.includes('10,000 sessions') ? test.skip(name) : test(name, run);

// Ten times as slow as a server: for machines that have none, and with `npm run test:long`.
describe.runIf(!requirements.redis.isMet() || isLong)('RedisSessionStore on ioredis-mock', () => {
  const clients = [new MockRedis(), new MockRedis()] as const;
  // Its XRANGE finds nothing.
  describeRedisSessionStore(() => clients, { hasStreams: false, register });
});
