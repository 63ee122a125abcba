import type { HistoryEntry } from '../../src/session/session.js';
import { isEntry } from '../../src/store/stored-json.js';
import { ID_LENGTH } from './record-text.js';

/*
 * A journal is a history as append-only text: a line of JSON and a comma for each entry, and after every append a mark,
 * `"<write id>:<appends>:<number>:<entries>",`: the id of the write, the number of appends so far, the number of this
 * change of the session, and the number of entries so far, as six hexadecimal digits each. If the caller has named the
 * append, the name, `/`, the digest of its content and `/` come before the id. A mark is a JSON string and an entry an object, so they cannot be
 * confused.
 */

/** Length of a mark from its write id on, including the line feed. */
export const MARK_LENGTH = 'write-id-12-:000000:000000:000000",\n'.length;

/** A Lua pattern for a mark from its write id on. Captures the id, the appends, the number and the entries. */
export const MARK_PATTERN = '([%w_-]+):(%x+):(%x+):(%x+)",\\n';

/**
 * Lua that defines `length` of the journal in KEYS[2], `tail`, the last bytes of it, at most `bytes`, and the values of
 * the mark at the end: `lastId`, `appends` and `entries`. `isWhole` is false if the mark is missing. A key of a wrong
 * type ends the script, unless `call` is `pcall`.
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

/** The contents of journal lines. */
export interface DecodedJournal {
  /** Oldest first. */
  readonly entries: HistoryEntry[];
  /** Number of appends and entries in the whole journal, by the last mark. */
  readonly appends: number;
  readonly count: number;
  /** Number of marks in these lines. */
  readonly marks: number;
}

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

/**
 * The contents of whole lines of a journal; `undefined` if they cannot be read. Without a mark at their end they count
 * as 0.
 */
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

/** The contents of a whole journal; `undefined` if it cannot be read, or does not match the counts of its last mark. */
export const decodeJournal = (journal: string): DecodedJournal | undefined => {
  const decoded = decodeLines(journal);
  const isWhole = decoded?.appends === decoded?.marks && decoded?.count === decoded?.entries.length;
  return isWhole ? decoded : undefined;
};

/** The contents of the last bytes of a journal, which may begin within a line; `undefined` if they cannot be read. */
export const decodeTail = (tail: string): DecodedJournal | undefined => {
  const decoded = decodeLines(tail.slice(tail.indexOf('\n') + 1));
  return decoded === undefined || decoded.entries.length > decoded.count ? undefined : decoded;
};
