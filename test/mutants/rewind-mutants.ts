import type { Mutant } from './mutant.js';

/** A script of the Redis store. */
const script = (name: string): string => `adapters/redis/scripts/${name}.lua`;
const redis = ['test/adapters/redis/rewinds.test.ts'];
const contract = ['test/stores/redis.contract.test.ts'];
const memory = ['test/stores/memory.contract.test.ts'];
const sqlite = ['test/stores/sqlite.contract.test.ts'];
const postgres = ['test/stores/postgres.contract.test.ts'];

export const rewindMutants: readonly Mutant[] = [
  {
    bug: 'a rewind far back counts entries from the end',
    file: script('rewind'),
    from: 'if after - first < last - after then',
    to: 'if false then',
    tests: redis,
  },
  {
    bug: 'a rewind by one entry counts entries from the beginning',
    file: script('rewind'),
    from: 'if after - first < last - after then',
    to: 'if true then',
    tests: redis,
  },
  {
    bug: 'a position that is superseded is taken for one of the history',
    file: script('rewind'),
    from: 'if first or after < from and after > 0 then return end',
    to: 'if first then return end',
    tests: contract,
  },
  {
    bug: 'the position after the last entry before a rewind is that of the rewind',
    file: 'adapters/redis/read-sessions.ts',
    from: 'if (left <= upto - from)',
    to: 'if (left < upto - from)',
    tests: contract,
  },
  {
    bug: 'ranges that are damaged are followed',
    file: 'adapters/redis/record.ts',
    from: 'if (from < end || upto < from) return undefined;',
    to: '',
    tests: ['test/adapters/redis/record.test.ts'],
  },
  {
    bug: 'a rewind that a crash has lost is acknowledged, because of another in its place',
    file: script('change'),
    from: "local filler = c.operation and sub(note, -12) .. '\\n' or '\\n'",
    to: "local filler = '\\n'",
    tests: redis,
  },
  {
    bug: 'the size of a history that was rewound contains what was superseded',
    file: script('read'),
    from: 'local size = math.min(guess, upto - from)',
    to: 'local size = math.min(guess, length)',
    tests: redis,
  },
  {
    bug: 'a position in memory is used again after a rewind',
    file: 'adapters/memory/history-log.ts',
    from: 'this.#positions.length = kept;\n    this.#end += 1;',
    to: 'this.#positions.length = kept;\n    this.#end = kept;',
    tests: memory,
  },
  {
    bug: 'a superseded position is followed',
    file: 'adapters/memory/history-log.ts',
    from: 'return isCurrent ? count : undefined;',
    to: 'return count;',
    tests: memory,
  },
  {
    bug: 'what is superseded in SQLite is shown before what replaces it',
    file: 'adapters/sqlite/session-writer.ts',
    from: 'if (truncate !== undefined) deleteAfter(this.#connection, session, truncate);',
    to: '',
    tests: sqlite,
  },
  {
    bug: 'a position that is superseded in SQLite is followed',
    file: 'adapters/sqlite/session-writer.ts',
    from: 'const isCurrent = tail.hasEntry || truncate === 0 || truncate === end;',
    to: 'const isCurrent = true;',
    tests: sqlite,
  },
  {
    bug: 'a position in SQLite is used again after a rewind',
    file: 'adapters/sqlite/session-writer.ts',
    from: 'effects.truncate === undefined ? start : start + 1;',
    to: 'effects.truncate ?? start;',
    tests: sqlite,
  },
  {
    bug: 'what is superseded in PostgreSQL is shown before what replaces it',
    file: 'adapters/postgres/sql/change.sql',
    from: 'WHERE session = v.number AND position > c.truncate_to',
    to: 'WHERE false',
    tests: postgres,
  },
  {
    bug: 'a superseded position in PostgreSQL is followed',
    file: 'adapters/postgres/sql/change.sql',
    from: 'SELECT p_position IN (0, p_end)',
    to: 'SELECT p_position <= p_end',
    tests: postgres,
  },
  {
    bug: 'a position in PostgreSQL is used again after a rewind',
    file: 'adapters/postgres/sql/change.sql',
    from: 'end_position := end_position + 1;',
    to: 'end_position := c.truncate_to;',
    tests: postgres,
  },
];
