import { isFields } from '../../src/input/values.js';
import type { HistoryEntry } from '../../src/session/session.js';
import { ID_LENGTH } from './record-text.js';

/*
 * A journal is a history as text that only grows: for each entry a line of JSON and a comma, and behind every append a
 * mark, `"<write id>:<appends>:<number>:<entries>",`: the id of the write, how many appends there are so far, the number
 * of this change of the session, and how many entries there are so far, as six hexadecimal digits each. Where the caller
 * has named the append, the name and `/` stand before the id. A mark is a JSON string and an entry an object, so that
 * neither can be taken for the other.
 */

/** Length of a mark from its write id on, line feed included. */
export const MARK_LENGTH = 'write-id-12-:000000:000000:000000",\n'.length;

/** A pattern of Lua for a mark from its write id on: gives the id, the appends, the number and the entries. */
export const MARK_PATTERN = '([%w_-]+):(%x+):(%x+):(%x+)",\\n';

/**
 * Lua that defines `length` of the journal in KEYS[2], `tail`, at most so many bytes at its end, and what the mark there
 * says: `lastId`, `appends` and `entries`. `isWhole` is false where there should be a mark and is none. A key of a wrong
 * type ends the script, unless it is asked for by `pcall`.
 */
export const readEnd = (bytes = MARK_LENGTH, call: 'call' | 'pcall' = 'call'): string => `
local length = redis.${call}('STRLEN', KEYS[2])
local tail = type(length) == 'number' and length > 0 and redis.call('GETRANGE', KEYS[2], -${bytes}, -1) or ''
local mark = string.sub(tail, -${MARK_LENGTH})
local lastId = string.sub(mark, 1, ${ID_LENGTH})
local appends, entries = tonumber(string.sub(mark, ${ID_LENGTH + 2}, ${ID_LENGTH + 7}), 16), tonumber(string.sub(mark, -9, -4), 16)
local isWhole = length == 0 or (appends and entries and string.sub(mark, -3) == '",\\n')
appends, entries = appends or 0, entries or 0`;

export const encodeEntries = (entries: readonly HistoryEntry[]): string => {
  let lines = '';
  for (const { role, content, timestamp } of entries) lines += `${JSON.stringify({ role, content, timestamp })},\n`;
  return lines;
};

/** What lines of a journal hold. */
export interface DecodedJournal {
  /** Oldest first. */
  readonly entries: HistoryEntry[];
  /** How many appends and entries the whole journal has, by the last mark. */
  readonly appends: number;
  readonly count: number;
  /** How many marks these lines have. */
  readonly marks: number;
}

const isEntry = (value: unknown): value is HistoryEntry =>
  isFields(value) &&
  typeof value['role'] === 'string' &&
  typeof value['content'] === 'string' &&
  typeof value['timestamp'] === 'string';

const markEnd = /:([0-9a-f]{6}):[0-9a-f]{6}:([0-9a-f]{6})$/;

const parseLines = (lines: string): readonly unknown[] | undefined => {
  if (lines === '') return [];
  if (!lines.endsWith(',\n')) return undefined;
  try {
    const parsed: unknown = JSON.parse(`[${lines.slice(0, -2)}]`);
    return Array.isArray(parsed) && parsed.length > 0 ? parsed : undefined;
  } catch {
    return undefined;
  }
};

/** What whole lines of a journal hold; nothing where they cannot be read. Without a mark at their end they count nothing. */
export const decodeLines = (lines: string): DecodedJournal | undefined => {
  const values = parseLines(lines);
  if (values === undefined) return undefined;
  const entries: HistoryEntry[] = [];
  let marks = 0;
  for (const value of values) {
    if (isEntry(value)) entries.push(value);
    else if (typeof value === 'string') marks += 1;
    else return undefined;
  }
  const last = values.at(-1);
  if (typeof last !== 'string') return { entries, marks, appends: 0, count: 0 };
  const [, appends, count] = markEnd.exec(last) ?? [];
  if (appends === undefined || count === undefined) return undefined;
  return { entries, marks, appends: Number.parseInt(appends, 16), count: Number.parseInt(count, 16) };
};

/** What a whole journal holds; nothing where it cannot be read, or does not have what its last mark counts. */
export const decodeJournal = (journal: string): DecodedJournal | undefined => {
  const decoded = decodeLines(journal);
  const isWhole = decoded?.appends === decoded?.marks && decoded?.count === decoded?.entries.length;
  return isWhole ? decoded : undefined;
};

/** What stands in the last bytes of a journal, which may begin within a line; nothing where they cannot be read. */
export const decodeTail = (tail: string): DecodedJournal | undefined => {
  const decoded = decodeLines(tail.slice(tail.indexOf('\n') + 1));
  return decoded === undefined || decoded.entries.length > decoded.count ? undefined : decoded;
};
