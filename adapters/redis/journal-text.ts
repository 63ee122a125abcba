import type { HistoryEntry } from '../../src/session/session.js';

/*
 * A journal is a history as text that only grows: for each entry a line of JSON and a comma, and behind every append a
 * mark, `"<id>:<appends>:<number>:<entries>",`: the id of the write or the name that its caller gave it, how many appends
 * there are so far, the number of this change of the session, and how many entries there are so far, as six hexadecimal
 * digits each. A mark is a JSON string and an entry an object, so that neither can be taken for the other.
 */

/** Length of a mark behind its id, line feed included. */
export const MARK_TAIL = ':000000:000000:000000",\n'.length;

const backFields = { appends: [23, 18], number: [16, 11], entries: [9, 4] } as const;

/** An expression of Lua for the last bytes of the journal under a key: '' where there is none. */
export const readTail = (key: string, bytes: number): string =>
  `(redis.call('STRLEN', ${key}) > 0 and redis.call('GETRANGE', ${key}, -${bytes}, -1) or '')`;

/** An expression of Lua for a number in the mark that a text ends with; nil where there is none. */
export const markField = (text: string, name: keyof typeof backFields): string =>
  `tonumber(string.sub(${text}, -${backFields[name][0]}, -${backFields[name][1]}), 16)`;

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
}

const isEntry = (value: unknown): value is HistoryEntry =>
  typeof value === 'object' &&
  value !== null &&
  'role' in value &&
  typeof value.role === 'string' &&
  'content' in value &&
  typeof value.content === 'string' &&
  'timestamp' in value &&
  typeof value.timestamp === 'string';

const markTail = /:([0-9a-f]{6}):[0-9a-f]{6}:([0-9a-f]{6})(?:",\n)?$/;

/** How many appends and entries a mark counts, with what follows it or without; nothing where it is none. */
export const decodeMark = (mark: string): Omit<DecodedJournal, 'entries'> | undefined => {
  const [, appends, count] = markTail.exec(mark) ?? [];
  if (appends === undefined || count === undefined) return undefined;
  return { appends: Number.parseInt(appends, 16), count: Number.parseInt(count, 16) };
};

const parseLines = (lines: string): readonly unknown[] | undefined => {
  try {
    const parsed: unknown = JSON.parse(`[${lines.slice(0, -2)}]`);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};

/** What whole lines of a journal hold; nothing where they cannot be read. Without a mark they count nothing. */
export const decodeLines = (lines: string): DecodedJournal | undefined => {
  const values = parseLines(lines);
  if (values === undefined) return undefined;
  const entries: HistoryEntry[] = [];
  let mark: string | undefined;
  for (const value of values) {
    if (isEntry(value)) entries.push(value);
    else if (typeof value === 'string') mark = value;
    else return undefined;
  }
  if (mark === undefined) return { entries, appends: 0, count: 0 };
  const counts = decodeMark(mark);
  return counts && { entries, ...counts };
};

/** What a whole journal holds; nothing where it cannot be read, or does not have what its last mark counts. */
export const decodeJournal = (journal: string): DecodedJournal | undefined => {
  const decoded = decodeLines(journal);
  return decoded?.count === decoded?.entries.length ? decoded : undefined;
};

/** The last entries in the last bytes of a journal, which may begin within a line. */
export const decodeTail = (tail: string): DecodedJournal | undefined => decodeLines(tail.slice(tail.indexOf('\n') + 1));
