import MockRedis from 'ioredis-mock';
import { describe, test } from 'vitest';
import type { TestFunction } from '../../src/testing/index.js';
import { isLong } from '../support/continuous-integration.js';
import { describeRedisSessionStore } from '../support/describe-redis-session-store.js';
import { requirements } from '../support/requirements.js';

/** Differences of the mock from a server, with parts of the names of cases that notice them. */
const LACKS: Readonly<Record<string, readonly string[]>> = {
  'its Lua interpreter takes a minute for one search of so many sessions': ['10,000 sessions'],
  'STRLEN, GETRANGE and SETRANGE count characters, and Lua counts the bytes of the same text': [
    'redact: overwrites the content, id and data',
    'historyLimit: find returns the latest entries',
    'history: any text, id and data is read',
    'maxBytes: limits the JSON of a part',
    'maxBytes: of the last entries',
    'maxBytes: a part contains at least one entry',
    'too_large: metadata counts towards the size',
    'names: a tenant may be any text',
    'names: an id may be any text',
    'texts: the longest are kept completely',
    'take: moves the oldest messages',
    'messages: any ids and contents are kept',
    'random commits: match the model',
  ],
  'HGET finds the properties of every JavaScript object, for example __proto__': [
    'operation: ids that look alike',
  ],
  'scores have three decimals, so that the turn of a tenant comes a millisecond later': [
    'take: a session with an expired lease is returned alone across all tenants',
  ],
};

const lacking = Object.values(LACKS).flat();

const register: TestFunction = (name, run) =>
  lacking.some((part) => name.includes(part)) ? test.skip(name) : test(name, run);

// Ten times as slow as a server: for machines that have none, and with `npm run test:long`.
describe.runIf(!requirements.redis.isMet() || isLong)('RedisSessionStore on ioredis-mock', () => {
  const clients = [new MockRedis(), new MockRedis()] as const;
  // Its XRANGE finds nothing.
  describeRedisSessionStore(() => clients, { hasStreams: false, register });
});
