import type { Mutant } from './mutant.js';

const redis = ['test/stores/redis.contract.test.ts'];

export const wakeMutants: readonly Mutant[] = [
  {
    bug: 'a message leaves the revision, so that a release of before forgets it',
    file: 'src/store/state-after.ts',
    from: 'work, revision: send.revision });',
    to: 'work });',
    tests: ['test/stores/sent-messages.test.ts'],
  },
  {
    bug: 'the Redis store leaves the revision of a session that gets a message',
    file: 'adapters/redis/scripts/change.lua',
    from: 'c.next or c.revised or header.revision',
    to: 'c.next or header.revision',
    tests: [...redis, 'test/stores/sent-messages.test.ts'],
  },
  {
    bug: 'the Redis store does not hand out a session that gets a message',
    file: 'adapters/redis/scripts/change.lua',
    from: '  if c.work then\n    places',
    to: '  if c.work and not c.revised then\n    places',
    tests: redis,
  },
  {
    bug: 'the PostgreSQL store hands out a session with a new message while it is leased',
    file: 'adapters/postgres/sql/change.sql',
    from: 'greatest(leased_until, least(asked_at, (c.inbox).asked_at))',
    to: 'least(asked_at, (c.inbox).asked_at)',
    tests: ['test/stores/postgres.contract.test.ts'],
  },
  {
    bug: 'the Redis log does not tell that work was cancelled, or has failed in all its attempts',
    file: 'adapters/redis/redis-event-log.ts',
    from: 'if (detail === undefined) return undefined;',
    to: "if (detail?.type !== 'appended') return undefined;",
    tests: redis,
  },
  {
    bug: 'a claim in Redis of nothing writes',
    file: 'adapters/redis/scripts/take.lua',
    from: "if not isWrong then return 'claimed' .. more end",
    to: '',
    tests: ['test/adapters/redis/claims.test.ts'],
  },
  {
    bug: 'a claim that is sent to Redis again loses its sessions',
    file: 'adapters/redis/claim-sessions.ts',
    from: 'return findSession(store, key, { historyLimit: 0 });',
    to: 'return ok(undefined);',
    tests: ['test/adapters/redis/claims.test.ts'],
  },
];
