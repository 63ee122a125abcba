import type { EncodedHistory, SessionHead } from '../../src/session/record.js';
import type { HistoryEntry } from '../../src/session/session.js';
import { decodeHead, entryJson, headJson } from '../../src/wire.js';

/**
 * The journal is text that only grows. Its first line is what never changes of the session, then comes a line for
 * each history entry, each of them JSON followed by a comma. Behind every write stands a line with the write's id,
 * which is a JSON string and so cannot be mistaken for an entry, nor an entry for it.
 */
export const writeMark = (writeId: string): string => `"${writeId}",\n`;

export const journalOf = (head: SessionHead, writeId: string): string => `${headJson(head)},\n${writeMark(writeId)}`;

export const journalLines = (entries: readonly HistoryEntry[], writeId: string): string =>
  entries.map((entry) => `${entryJson(entry)},\n`).join('') + writeMark(writeId);

const string = String.raw`"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"`;
const entryLine = String.raw`\{"role":${string},"content":${string},"timestamp":${string}\},\n`;
const markLine = String.raw`"[\w.~:-]+",\n`;

/** All that may stand behind the first line. What fits is sure to parse, and takes a third of the time to check. */
const lines = new RegExp(`(?:${entryLine}|${markLine})*`, 'y');
const marks = new RegExp(`^${markLine}`, 'gm');

class JournalHistory implements EncodedHistory {
  readonly #text: string;
  readonly #start: number;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#start = start;
  }

  entries(): readonly HistoryEntry[] {
    return JSON.parse(this.json());
  }

  json(): string {
    const entries = this.#text.slice(this.#start).replace(marks, '');
    return `[${entries.slice(0, -2)}]`;
  }
}

/** What a journal holds, or nothing if the text is not one. */
export const decodeJournal = (
  text: string,
): { readonly head: SessionHead; readonly history: EncodedHistory } | undefined => {
  const start = text.indexOf('\n') + 1;
  lines.lastIndex = start;
  if (start < 2 || !lines.test(text) || lines.lastIndex !== text.length) return undefined;
  const head = decodeHead(text.slice(0, start - 2));
  return head && { head, history: new JournalHistory(text, start) };
};
