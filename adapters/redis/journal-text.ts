import type { EncodedHistory, SessionHead } from '../../src/session/record.js';
import type { HistoryEntry, SessionOptions } from '../../src/session/session.js';
import { decodeOptions, entryJson, headJson } from '../../src/wire.js';

/**
 * The journal is text that only grows. Its first line is what never changes of the session, then comes a line for
 * each history entry, each of them JSON followed by a comma. Behind every write stands a mark, `"<id>:<sequence>:<entries>",`:
 * the id of the write or the name that its caller gave it, the number of this change of the session, and how many
 * entries there are so far. It is a JSON string and so cannot be mistaken for an entry, nor an entry for it. The scripts
 * write it, but for the first.
 */
export const journalOf = (head: SessionHead, writeId: string): string => `${headJson(head)},\n"${writeId}:1:0",\n`;

export const journalLines = (entries: readonly HistoryEntry[]): string =>
  entries.map((entry) => `${entryJson(entry)},\n`).join('');

/** The mark at the end of a journal: its id or name, and the number of that change. */
export const lastMark = (journal: string): { readonly id: string; readonly sequence: number } => {
  const [, id = '', sequence = 1] = /"([^"]*):(\d+):\d+",\n$/.exec(journal.slice(-MARK_CHARACTERS)) ?? [];
  return { id, sequence: Number(sequence) };
};

/** No mark is longer. */
export const MARK_CHARACTERS = 128;

const string = String.raw`"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"`;
const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?`;
const options = `\\{"face":${string},"profile":${string},"context":${string},"behavior":${string},"time_limit":${number}\\}`;
const entryLine = String.raw`\{"role":${string},"content":${string},"timestamp":${string}\},\n`;
const markLine = String.raw`"[\w.~:-]+",\n`;

/*
 * What a journal must look like. Text that fits is sure to parse, so that it need not be parsed before somebody looks;
 * to check it takes a third of the time.
 */
const firstLine = new RegExp(String.raw`\{"id":(${string}),"options":(${options}),"created_at":("[\w.:-]+")\},\n`, 'y');
const lines = new RegExp(`(?:${entryLine}|${markLine})*`, 'y');
const marks = new RegExp(`^${markLine}`, 'gm');
const markText = /^"[\w.~:-]+"$/;

const isEntryText = (json: string): boolean => {
  try {
    const { role, content, timestamp }: Readonly<Record<string, unknown>> = JSON.parse(json);
    if (typeof role !== 'string' || typeof content !== 'string' || typeof timestamp !== 'string') return false;
    return entryJson({ role, content, timestamp }) === json;
  } catch {
    return false;
  }
};

/** Whether all that follows `start` is lines of a journal. */
const areLines = (text: string, start: number): boolean => {
  lines.lastIndex = start;
  try {
    return lines.test(text) && lines.lastIndex === text.length;
  } catch {
    // Over millions of escapes a regular expression runs out of stack, and parsing does not.
    const ends = text.slice(start).split(',\n');
    return ends.pop() === '' && ends.every((line) => markText.test(line) || isEntryText(line));
  }
};

class JournalHead implements SessionHead {
  readonly id: string;
  readonly optionsJson: string;
  readonly createdAt: string;
  #options: SessionOptions | undefined;

  constructor(id: string, optionsJson: string, createdAt: string) {
    this.id = id;
    this.optionsJson = optionsJson;
    this.createdAt = createdAt;
    Object.freeze(this);
  }

  get options(): SessionOptions {
    this.#options ??= Object.freeze(decodeOptions(this.optionsJson));
    return this.#options;
  }
}

const entriesIn = (lines: string): readonly HistoryEntry[] => {
  const entriesAndMarks: readonly (HistoryEntry | string)[] = JSON.parse(`[${lines.slice(0, -2)}]`);
  return entriesAndMarks.filter((line) => typeof line !== 'string').map((entry) => Object.freeze(entry));
};

/** The entries in a text that is whole lines of a journal, without the first; nothing if it is not. */
export const decodeLines = (text: string): readonly HistoryEntry[] | undefined =>
  areLines(text, 0) ? entriesIn(text) : undefined;

/** What was made of the text once is kept, and frozen, since all who read the same text share it. */
class JournalHistory implements EncodedHistory {
  readonly #text: string;
  readonly #start: number;
  /** What is known already of the first entries, and where the others begin. */
  readonly #first: readonly HistoryEntry[];
  readonly #others: number;
  #entries: readonly HistoryEntry[] | undefined;

  constructor(text: string, start: number, first: readonly HistoryEntry[] = [], others = start) {
    this.#text = text;
    this.#start = start;
    this.#first = first;
    this.#others = others;
    Object.freeze(this);
  }

  entries(): readonly HistoryEntry[] {
    this.#entries ??= Object.freeze(this.#first.concat(entriesIn(this.#text.slice(this.#others))));
    return this.#entries;
  }

  json(): string {
    const entries = this.#text.slice(this.#start).replace(marks, '');
    return `[${entries.slice(0, -2)}]`;
  }

  /** The history in a text that begins with this one's. */
  in(text: string): JournalHistory {
    return this.#entries === undefined
      ? new JournalHistory(text, this.#start, this.#first, this.#others)
      : new JournalHistory(text, this.#start, this.#entries, this.#text.length);
  }
}

/** A text that is known to be a journal, and what it holds. */
export interface Journal {
  readonly text: string;
  readonly head: SessionHead;
  readonly history: JournalHistory;
}

/** What a journal holds, or nothing if the text is not one. */
export const decodeJournal = (text: string): Journal | undefined => {
  firstLine.lastIndex = 0;
  const [, idJson, optionsJson, createdAtJson] = firstLine.exec(text) ?? [];
  if (idJson === undefined || optionsJson === undefined || createdAtJson === undefined) return undefined;
  const start = firstLine.lastIndex;
  if (!areLines(text, start)) return undefined;
  // Parsed, for a slice keeps the whole text alive as long as somebody keeps the slice.
  const head = new JournalHead(JSON.parse(idJson), optionsJson, JSON.parse(createdAtJson));
  return { text, head, history: new JournalHistory(text, start) };
};

/** The same for a text that may be what `known` was, or has become: only what is new of it is looked at. */
export const decodeGrownJournal = (text: string, known: Journal): Journal | undefined => {
  if (text === known.text) return known;
  if (!text.startsWith(known.text)) return decodeJournal(text);
  if (!areLines(text, known.text.length)) return undefined;
  return { text, head: known.head, history: known.history.in(text) };
};
