import type { HistoryEntry } from '../../src/session/session.js';
import { decodeEntries, encodeEntry } from '../shared/stored-json.js';

/* A journal is a history as text: a line of JSON and a comma for each entry. The record has its committed length. */

const LINE_END = ',\n';

/**
 * The first character of a journal that was written before its record. It stands for that of a
 * line.
 */
const UNCONFIRMED = '?';

export const encodeLines = (entries: readonly HistoryEntry[]): string =>
  entries.map((entry) => encodeEntry(entry) + LINE_END).join('');

/** The entries of whole lines; `undefined` if they cannot be read. */
export const decodeLines = (lines: string): readonly HistoryEntry[] | undefined => {
  if (lines === '') return [];
  if (lines.length <= LINE_END.length || !lines.endsWith(LINE_END)) return undefined;
  const text = lines.slice(0, -LINE_END.length);
  return decodeEntries(text.startsWith(UNCONFIRMED) ? `{${text.slice(1)}` : text);
};
