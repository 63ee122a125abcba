import type { Mutant } from './mutant.js';

export const inputMutants: readonly Mutant[] = [
  {
    bug: 'the largest time limit that is allowed is refused',
    file: 'src/schema/values.ts',
    from: "typeof value === 'number' && value >= least && value <= most)",
    to: "typeof value === 'number' && value >= least && value < most)",
    tests: ['test/input', 'test/service'],
  },
  {
    bug: 'texts may have three times the bytes that are allowed',
    file: 'src/session/exceeds-bytes.ts',
    from: 'if (text.length * 3 <= most) return false;',
    to: 'if (text.length <= most) return false;',
    tests: ['test/input'],
  },
  {
    bug: 'names may be one character too long',
    file: 'src/schema/values.ts',
    from: 'value.length >= 1 && value.length <= most,',
    to: 'value.length >= 1 && value.length <= most + 1,',
    tests: ['test/input'],
  },
  {
    bug: 'operation ids may contain control characters',
    file: 'src/schema/values.ts',
    from: String.raw`/[\p{Cc}\p{Cs}]/u`,
    to: String.raw`/[\p{Cs}]/u`,
    tests: ['test/input'],
  },
  {
    bug: '30 February is taken as 2 March',
    file: 'src/input/timestamp.ts',
    from: 'day <= new Date(Date.UTC(year, month, 0)).getUTCDate()',
    to: 'day <= 31',
    tests: ['test/input'],
  },
  {
    bug: 'a cursor that no page has given is accepted',
    file: 'src/input/cursor.ts',
    from: 'return cursorOf(position, isByUpdate) === cursor ? position : undefined;',
    to: 'return position;',
    tests: ['test/input'],
  },
  {
    bug: 'page 2 begins where page 3 should',
    file: 'src/input/list-query.ts',
    from: 'Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER)',
    to: 'Math.min(page * limit, Number.MAX_SAFE_INTEGER)',
    tests: ['test/service', 'test/input'],
  },
  {
    bug: 'an option with the name of a property of every object is known',
    file: 'src/schema/unknown-fields.ts',
    from: 'if (names.includes(name)) continue',
    to: 'if (names.includes(name) || name in {}) continue',
    tests: ['test/schema'],
  },
];
