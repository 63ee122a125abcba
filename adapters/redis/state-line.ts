import { ID_LENGTH } from './write-id.js';

/*
 * How scripts read the state line of a record, which `record-text.ts` writes. The functions give pieces of Lua; `text`
 * and `key` in them are expressions of Lua.
 */

/** Where the fields of fixed width are: the first character and the last, counted from 1 as Lua does. */
const FIELDS = {
  deadline: [3, 18],
  open: [20, 20],
  revision: [22, 37],
  status: [39, 39],
  birth: [41, 52],
  base: [54, 69],
  created: [71, 85],
} as const;

/** Length of the fields of fixed width. */
export const FIXED_LENGTH = 86;

/** The status letter of a session that was removed. */
export const REMOVED = 'G';

/** Stands for `Infinity`: scripts compare it as they compare any time, and no time reaches it. */
export const NEVER = Number.MAX_SAFE_INTEGER;

export const field = (text: string, name: keyof typeof FIELDS): string =>
  `string.sub(${text}, ${FIELDS[name][0]}, ${FIELDS[name][1]})`;

/** Whether a text has the fields of fixed width. */
export const isFixed = (text: string): string =>
  `(string.sub(${text}, 1, 2) == '2 ' and string.sub(${text}, ${FIXED_LENGTH}, ${FIXED_LENGTH}) == ' ')`;

/**
 * Part of a string, '' where there is none. Its length is asked for first: doubles of a server fail at a part of what is
 * not there.
 */
export const readRange = (key: string, from: number, to: number): string =>
  `(redis.call('STRLEN', ${key}) > 0 and redis.call('GETRANGE', ${key}, ${from}, ${to}) or '')`;

/** The fields of fixed width of the record under a key, '' where there is none. */
export const readFixed = (key: string): string => readRange(key, 0, FIXED_LENGTH - 1);

/**
 * Defines `recall(line, id)`: what a state line remembers of a write. Gives its number, what stands behind that, and the
 * birth of the session that it was made on, which may be an earlier one of the same id.
 */
export const recall = `
local function recall(line, id)
  local at = string.find(line, id .. ':', 1, true)
  if not at then return nil end
  local number, detail = string.match(line, '^(%d+):([^,]*),', at + ${ID_LENGTH + 1})
  local birth = string.match(string.sub(line, 1, at - 1), '.*[ ,]([%w_-]+):1:%-,') or ${field('line', 'birth')}
  return tonumber(number), detail, birth
end`;
