import type { Mutant } from './mutant.js';

const spans = 'adapters/redis/scripts/spans.ts';
const redis = ['test/adapters/redis/rewinds.test.ts'];
const contract = ['test/stores/redis.contract.test.ts'];
const memory = ['test/stores/memory.contract.test.ts'];
const sqlite = ['test/stores/sqlite.contract.test.ts'];
const postgres = ['test/stores/postgres.contract.test.ts'];

export const rewindMutants: readonly Mutant[] = [
  {
    bug: 'a position before thousands of rewinds is searched for one rewind after the other',
    file: spans,
    from: 'span = isPast(jump) and jump or spanAt(span.parent)',
    to: 'span = spanAt(span.parent)',
    tests: redis,
  },
  {
    bug: 'each rewind leads to the one before it, and to none further back',
    file: spans,
    from: 'isFar and jump.jump or span.start',
    to: 'span.start',
    tests: redis,
  },
  {
    bug: 'a rewind far back counts entries from the end',
    file: spans,
    from: 'if upto - after < after - span.start then',
    to: 'if true then',
    tests: redis,
  },
  {
    bug: 'a rewind by one entry counts entries from the beginning',
    file: spans,
    from: 'if upto - after < after - span.start then',
    to: 'if false then',
    tests: redis,
  },
  {
    bug: 'a history that is rewound to its end again and again is read at the cost of all these rewinds',
    file: spans,
    from: 'if after == span.start and after > 0 then',
    to: 'if false then',
    tests: redis,
  },
  {
    bug: 'a part of a history is read with as many pieces as fit its bytes',
    file: spans,
    from: 'until isFirst or left <= 0 or #found > most',
    to: 'until isFirst or left <= 0',
    tests: redis,
  },
  {
    bug: 'a position that is superseded is taken for one of the history',
    file: spans,
    from: "if after > upto then return 'moved' end",
    to: '',
    tests: contract,
  },
  {
    bug: 'a history that was cleared has no beginning',
    file: spans,
    from: 'if isFirst and not isCut and span.start > 0 then found[#found + 1] = {0, 0} end',
    to: '',
    tests: contract,
  },
  {
    bug: 'before a superseded position there is nothing after it',
    file: spans,
    from: 'if child then hasMore = upto < child.after or child.entries < entries end',
    to: 'if child then hasMore = upto < child.after end',
    tests: contract,
  },
  {
    bug: 'a part that ends at no piece is read on after entries that were not shown',
    file: 'adapters/redis/read-entries.ts',
    from: 'goOn();\n  return { lines, end: offset };',
    to: 'return { lines, end: offset === edge ? (rest.at(-1)?.[1] ?? offset) : offset };',
    tests: ['test/stores/rewinds.properties.test.ts'],
  },
  {
    bug: 'a mark that is damaged is followed',
    file: spans,
    from: 'if bytes and span.after < start and span.jump <= span.parent and span.parent <= span.after then return span end',
    to: 'do return span end',
    tests: ['test/adapters/redis/damaged-rewinds.test.ts'],
  },
  {
    bug: 'a rewind that arrives twice is made twice',
    file: 'adapters/redis/scripts/append-script.ts',
    from: 'text = call == string.sub(KEYS[1], -${CALL_BYTES}) and',
    to: 'text = false and',
    tests: redis,
  },
  {
    bug: 'a rewind that a crash has lost is acknowledged, because of another in its place',
    file: 'adapters/redis/scripts/append-script.ts',
    from: 'text = call == string.sub(KEYS[1], -${CALL_BYTES}) and',
    to: 'text =',
    tests: redis,
  },
  {
    bug: 'the size of a history that was rewound contains what was superseded',
    file: 'adapters/redis/scripts/append-script.ts',
    from: 'entries, span, shown = kept, length + added, bytes`',
    to: 'entries, span = kept, length + added`',
    tests: redis,
  },
  {
    bug: 'the event of a rewind does not say what the entries follow',
    file: 'adapters/redis/scripts/append-script.ts',
    from: '" .. \'_\' .. ARGV[13]"',
    to: "''",
    tests: contract,
  },
  {
    bug: 'a part that is read while somebody rewinds has entries of two histories',
    file: 'adapters/redis/read-entries.ts',
    from: 'if (first.version !== part.version) return readEntries(call, session, slice);',
    to: '',
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
    file: 'src/session/history-positions.ts',
    from: 'positionOf(number + 1) === position + 1 ? number : undefined',
    to: 'positionOf(number + 1) === position + 1 ? number : number',
    tests: memory,
  },
  {
    bug: 'what is superseded in SQLite is shown before what replaces it',
    file: 'adapters/sqlite/history-writer.ts',
    from: 'this.#entries.deleteAfter(',
    to: 'void (',
    tests: sqlite,
  },
  {
    bug: 'a position that is superseded in SQLite is followed',
    file: 'adapters/sqlite/entry-rows.ts',
    from: 'if (position === 0 || position === end) return true;',
    to: 'if (position <= end) return true;',
    tests: sqlite,
  },
  {
    bug: 'a position in SQLite is used again after a rewind',
    file: 'adapters/sqlite/history-writer.ts',
    from: 'return end + 1;',
    to: 'return after;',
    tests: sqlite,
  },
  {
    bug: 'a superseded position in PostgreSQL is followed',
    file: 'adapters/postgres/stored-functions.ts',
    from: 'AND (entry_number = p_number AND position = p_position OR entry_number = p_number + 1 AND position = p_position + 1))',
    to: ')',
    tests: postgres,
  },
];
