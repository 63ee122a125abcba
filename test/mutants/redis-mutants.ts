import type { Mutant } from './mutant.js';

const redis = ['test/stores/redis.contract.test.ts'];

export const redisMutants: readonly Mutant[] = [
  {
    bug: 'a history in Redis may not have its last entry',
    file: 'adapters/redis/history-writer.ts',
    from: "if entries + ARGV[5] > tonumber(ARGV[6]) then return 'full' end",
    to: "if entries + ARGV[5] >= tonumber(ARGV[6]) then return 'full' end",
    tests: redis,
  },
  {
    bug: 'an append that arrives twice is added twice',
    file: 'adapters/redis/history-writer.ts',
    from: 'if finish then return {finish, number, 1} end',
    to: '',
    tests: ['test/adapters/redis/lost-replies.test.ts', ...redis],
  },
  {
    bug: 'an append to a deleted session stands in the one created again',
    file: 'adapters/redis/history-writer.ts',
    from: "if not isAlive or ${field('head', 'birth')} ~= ARGV[1] then${recall}",
    to: 'if not isAlive then${recall}',
    tests: ['test/adapters/redis/retried-writes.test.ts'],
  },
  {
    bug: 'a state in Redis is replaced whatever its revision',
    file: 'adapters/redis/record-writer.ts',
    from: "if ${field('line', 'revision')} ~= ARGV[5] then return 'stale' end",
    to: '',
    tests: redis,
  },
  {
    bug: 'a session is written that is in no list',
    file: 'adapters/redis/record-writer.ts',
    from: "if tonumber(redis.call('ZSCORE', KEYS[at], ARGV[1]) or '') ~= created then return 'unlisted' end",
    to: '',
    tests: ['test/adapters/redis/refusals.test.ts'],
  },
  {
    bug: 'a session is written whose deadline nobody has noted',
    file: 'adapters/redis/record-writer.ts',
    from: "if not (isNoted(KEYS[4], ARGV[1]) and isNoted(KEYS[5], ARGV[2])) then return 'unlisted' end",
    to: '',
    tests: ['test/adapters/redis/refusals.test.ts', ...redis],
  },
  {
    bug: 'a page from oldest to newest repeats the session of its cursor',
    file: 'adapters/redis/page-script.ts',
    from: "member = ARGV[5] .. (isRising and ' ' or '')}",
    to: 'member = ARGV[5]}',
    tests: redis,
  },
  {
    bug: 'the total of a list by status leaves out what the clock has ended',
    file: 'adapters/redis/page-script.ts',
    from: 'local total = high - low - #without + #added',
    to: 'local total = high - low - #without',
    tests: redis,
  },
  {
    bug: 'not_applied is answered for a write that an earlier attempt may have made',
    file: 'adapters/redis/connection.ts',
    from: "if (changes) this.#isUnknown ||= failure.error.outcome === 'unknown';",
    to: "if (changes) this.#isUnknown = failure.error.outcome === 'unknown';",
    tests: ['test/adapters/redis/retried-writes.test.ts'],
  },
  {
    bug: 'a server that has forgotten the scripts is an error',
    file: 'adapters/redis/connection.ts',
    from: "if (failure.code === 'NOSCRIPT' && next !== whole) {",
    to: "if (failure.code === 'NOSCRIPTS' && next !== whole) {",
    tests: redis,
  },
  {
    bug: 'not_applied is answered for an append whose event could not be written',
    file: 'adapters/redis/redis-event-log.ts',
    from: "return logged.mapErr(({ error }) => ({ ...error, outcome: 'unknown' }));",
    to: 'return logged.mapErr(({ error }) => error);',
    tests: ['test/adapters/redis/refusals.test.ts'],
  },
  {
    bug: 'damage within a journal is served as data',
    file: 'adapters/redis/journal-text.ts',
    from: 'return isWhole ? decoded : undefined;',
    to: 'return decoded;',
    tests: ['test/adapters/redis/journal-text.test.ts', 'test/adapters/redis/damage.test.ts'],
  },
  {
    bug: 'removals are remembered for a day',
    file: 'adapters/redis/remove-session.ts',
    from: 'const REMEMBERED_MS = 60 * 60 * 1000;',
    to: 'const REMEMBERED_MS = 24 * 60 * 60 * 1000;',
    tests: ['test/adapters/redis/forgotten-removals.test.ts'],
  },
  {
    bug: 'a list without histories shows a session as unreadable because it changes',
    file: 'adapters/redis/read-sessions.ts',
    from: "if (isRead || record !== 'corrupt') {",
    to: 'if (record !== undefined) {',
    tests: ['test/adapters/redis/lists.test.ts'],
  },
];
