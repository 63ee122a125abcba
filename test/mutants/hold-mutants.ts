import type { Mutant } from './mutant.js';

const holdTests = ['test/session/hold.test.ts', 'test/service/holds.test.ts', 'test/service/holds.properties.test.ts'];
const redis = ['test/stores/redis.contract.test.ts'];

export const holdMutants: readonly Mutant[] = [
  {
    bug: 'a hold lasts a millisecond too long',
    file: 'src/session/hold.ts',
    from: 'now < hold.until ? hold',
    to: 'now <= hold.until ? hold',
    tests: holdTests,
  },
  {
    bug: 'two holders have the same fence',
    file: 'src/session/hold.ts',
    from: 'state.revision : state.hold.fence + 1',
    to: 'state.revision : state.hold.fence',
    tests: holdTests,
  },
  {
    bug: 'a session can be taken from its holder',
    file: 'src/session/hold.ts',
    from: 'current.holder !== holder',
    to: 'current.holder === undefined',
    tests: holdTests,
  },
  {
    bug: 'an extended hold has another fence',
    file: 'src/session/hold.ts',
    from: 'current?.fence ?? ',
    to: '',
    tests: holdTests,
  },
  {
    bug: 'a hold can be released with any fence',
    file: 'src/session/hold.ts',
    from: 'if (hold?.fence !== fence) return err(notHolder(fence));',
    to: 'if (hold === undefined) return err(notHolder(fence));',
    tests: holdTests,
  },
  {
    bug: 'fences begin anew after a release',
    file: 'src/session/hold.ts',
    from: 'hold: { ...hold, until: 0 }',
    to: 'hold: { ...hold, fence: 0, until: 0 }',
    tests: holdTests,
  },
  {
    bug: 'a session that has ended can be held',
    file: 'src/session/hold.ts',
    from: "if (status === 'TERMINATED') return err(invalidTransition(status, 'hold'));",
    to: '',
    tests: holdTests,
  },
  {
    bug: 'a command of an earlier holder is carried out',
    file: 'src/service/change-session.ts',
    from: 'if (fence !== undefined && !isHeldWith(current, fence, now)) return err(notHolder(fence));',
    to: '',
    tests: holdTests,
  },
  {
    bug: 'a change of the status ends the hold',
    file: 'src/session/timeline.ts',
    from: '...(state.hold && { hold: state.hold }),',
    to: '',
    tests: holdTests,
  },
  {
    bug: 'the Redis store makes an append of an earlier holder',
    file: 'adapters/redis/scripts/append.ts',
    from: "if ARGV[8] ~= '' and not isHeld then return 'not_held' end",
    to: '',
    tests: redis,
  },
  {
    bug: 'the Redis store accepts an append at the end of its hold',
    file: 'adapters/redis/scripts/append.ts',
    from: "now < ${numberField('head', 'heldUntil')}",
    to: "now <= ${numberField('head', 'heldUntil')}",
    tests: redis,
  },
  {
    bug: 'the Redis store appends wherever the history ends',
    file: 'adapters/redis/scripts/append.ts',
    from: "if ARGV[7] ~= '' and tonumber(ARGV[7]) ~= length then",
    to: 'if false then',
    tests: redis,
  },
  {
    bug: 'the Redis store takes other content for a repeated append',
    file: 'adapters/redis/scripts/append.ts',
    from: "return digest == ARGV[10] and tonumber(finish) or 'mismatch'",
    to: 'return tonumber(finish)',
    tests: redis,
  },
  {
    bug: 'the Redis store counts a hold as a change',
    file: 'adapters/redis/scripts/replace.ts',
    from: "local sequence = ${numberField('record', 'sequence')}",
    to: "local sequence = ${numberField('record', 'sequence')} + (status == ARGV[7] and 1 or 0)",
    tests: redis,
  },
  {
    bug: 'the memory store ignores the fence',
    file: 'adapters/memory/memory-session-store.ts',
    from: "if (fence !== undefined && !isHeldWith(state, fence, now)) return ok({ outcome: 'not_held' });",
    to: '',
    tests: ['test/stores/memory.contract.test.ts', 'test/service/holds.properties.test.ts'],
  },
];
