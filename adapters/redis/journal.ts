import type { HistoryEntry } from '../../src/session/session.js';
import { decodeEntries, encodeEntry } from '../shared/stored-json.js';

/* A journal is a history as text: a line of JSON and a comma for each entry. The record has its committed length. */

const LINE_END = ',\n';

export const encodeLines = (entries: readonly HistoryEntry[]): string => {
  let lines = '';
  for (const entry of entries) lines += encodeEntry(entry) + LINE_END;
  return lines;
};

/** The entries of whole lines; `undefined` if they cannot be read. */
export const decodeLines = (lines: string): readonly HistoryEntry[] | undefined => {
  if (lines === '') return [];
  const isWhole = lines.length > LINE_END.length && lines.endsWith(LINE_END);
  return isWhole ? decodeEntries(lines.slice(0, -LINE_END.length)) : undefined;
};

/** The first bytes of a journal; `undefined` if it is shorter. */
const firstBytes = (journal: string, bytes: number): string | undefined => {
  const length = Buffer.byteLength(journal);
  if (length === bytes) return journal;
  return length < bytes ? undefined : Buffer.from(journal).subarray(0, bytes).toString();
};

/** The history, up to the committed length in the record; `undefined` if the journal is shorter, or cannot be read. */
export const decodeJournal = (
  journal: string,
  { bytes, entries }: { readonly bytes: number; readonly entries: number },
): readonly HistoryEntry[] | undefined => {
  const decode = (lines: string | undefined): readonly HistoryEntry[] | undefined => {
    const history = lines === undefined ? undefined : decodeLines(lines);
    return history?.length === entries ? history : undefined;
  };
  // Test doubles count characters instead of bytes.
  return decode(firstBytes(journal, bytes)) ?? (journal.length === bytes ? decode(journal) : undefined);
};
