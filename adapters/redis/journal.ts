import type { HistoryEntry } from '../../src/session/session.js';
import { decodeEntries, encodeEntry } from '../shared/stored-json.js';
import type { Piece } from './record.js';

/* A journal is a history as text: a line of JSON and a comma for each entry. The record has its committed length. */

const LINE_END = ',\n';

/**
 * The first character of a journal that was written before its record. It stands for that of a
 * line.
 */
const UNCONFIRMED = '?';

export const encodeLines = (entries: readonly HistoryEntry[]): string => {
  let lines = '';
  for (const entry of entries) lines += encodeEntry(entry) + LINE_END;
  return lines;
};

/** The JSON of whole lines, with commas between them; `undefined` if they are not whole. */
const jsonOfLines = (lines: string): string | undefined => {
  if (lines === '') return '';
  if (lines.length <= LINE_END.length || !lines.endsWith(LINE_END)) return undefined;
  const text = lines.slice(0, -LINE_END.length);
  return text.startsWith(UNCONFIRMED) ? `{${text.slice(1)}` : text;
};

/** The entries of whole lines; `undefined` if they cannot be read. */
export const decodeLines = (lines: string): readonly HistoryEntry[] | undefined => {
  if (lines === '') return [];
  const json = jsonOfLines(lines);
  return json === undefined ? undefined : decodeEntries(json);
};

/**
 * Whether a journal without a record is what a crash has left of a session that nobody was told of.
 */
export const isUnconfirmed = (journal: string): boolean => journal.startsWith(UNCONFIRMED);

interface Parts {
  readonly bytes: number;
  readonly pieces: readonly Piece[];
}

const isAll = ({ bytes, pieces: [first, ...others] }: Parts): boolean =>
  first?.[0] === 0 && first[1] === bytes && others.length === 0;

/**
 * The history in a journal, as lines; `undefined` if the journal is shorter than its record says.
 */
export const linesIn = (journal: string, parts: Parts): string | undefined => {
  const { bytes, pieces } = parts;
  const length = Buffer.byteLength(journal);
  if (length < bytes) return undefined;
  if (length === bytes && isAll(parts)) return journal;
  const whole = Buffer.from(journal);
  return pieces.map(([from, upto]) => whole.toString('utf8', from, upto)).join('');
};

/** The same where a server counts characters instead of bytes, as test doubles do. */
export const charactersIn = (journal: string, { bytes, pieces }: Parts): string | undefined =>
  journal.length < bytes
    ? undefined
    : pieces.map(([from, upto]) => journal.slice(from, upto)).join('');
