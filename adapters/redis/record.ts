import type { HistoryEntry, PositionedEntry, SessionLabels } from '../../src/session/session.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import type { SessionStatus } from '../../src/session/session-status.js';
import { deadlineOf } from '../../src/session/state-at.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import {
  decodeEntries,
  decodeHead,
  decodeState,
  encodeEntry,
  encodeHead,
  encodeState,
  type StateBeside,
} from '../stored/json.js';
import { labelsOf, labelTexts } from '../stored/labels.js';
import { finite, NEVER } from '../stored/never.js';

/*
 * A session is two strings. Its record has these lines, the last two only after some changes:
 *
 *     1 <revision> <incarnation> <created> <last activity> <sequence> <entries> <bytes> <tail>
 *       <asked> <inbox> <first> <last> <side> <redactions> <side> <status> <deadline> <inactivity>
 *       <fencing token> <leased until> <claimable>
 *     <ranges>
 *     <labels>
 *     <the state as JSON, without the values of `StateBeside` and its labels>
 *     <what never changes, as JSON>
 *     <the fields from the second side on of the state before>
 *     <the state before as JSON>
 *
 * The fields up to the redactions have fixed widths, so that an append overwrites those from the
 * last activity to the first side where they are, and a message all of them. The others follow from
 * the state, for scripts, which read no JSON: the token is 0 for a cancelled lease, and `claimable`
 * is
 * `wakeAtOf` without `asked`. `asked` is `work.askedAt`, `NEVER` for none, and `inbox` is
 * `work.inbox`. Times are in milliseconds since the epoch. `incarnation` distinguishes the session
 * from a later one with the same id. `bytes` is the committed length of the journal: data after
 * that length was never acknowledged. An `x` as the first character of the last activity marks a
 * removed session.
 *
 * A state that comes with entries, for example at the end of a turn, gets the other side, 0 or 1,
 * and keeps the state before. If a torn log applies such a change before an append that did not
 * know it, the append overwrites the entries and the first side: then the sides differ, and the
 * state before counts.
 *
 * The journal is the history: a line of JSON and a comma for each entry. A rewind changes no line.
 * It adds a line that is no entry, so that no position is used twice, and writes the parts of the
 * journal that are the history into the ranges:
 *
 *     <tail>:[ <beginning>-<end>-<entries up to the end>]...
 *
 * The last range begins at the tail and ends with the journal. If the tail is 0, the whole journal
 * is the history. The line also has the ranges of before the last rewind, after a semicolon: an
 * append overwrites the tail, so that it finds its own ranges again when a torn log applies a lost
 * rewind before it.
 *
 * The inbox is a hash. The messages that wait have the numbers up to `last`, `inbox` of them, each
 * in a field `<number>`: the digest, the id, and after a newline the entry as JSON. For each
 * message that ever was, the field `=<id>` is `<digest>:<its numbers>`, and once it was taken also
 * its place in the journal, as that of an operation, or ` -` once it was withdrawn. Which of them
 * count follows from the record and the journal: a torn log may leave others. The texts of those
 * that were taken or withdrawn, from the number `first` on, stay until the next change of the
 * inbox: an append overwrites `inbox` and `last`, so that messages wait again when a torn log
 * applies a lost change before it.
 */

const VERSION = '1';

const pad = (value: number, width: number): string => String(value).padStart(width, '0');

/** The letter of a status in a record. */
export const letterOf = (status: SessionStatus): string => status.charAt(0);

/** A revision as scripts compare it. */
export const revisionText = (revision: number): string => pad(revision, 16);

/** A last activity as scripts write it. */
export const activityText = (lastActivityAt: number): string => pad(lastActivityAt, 16);

/** The fields that follow from a state. */
export const stateFields = (state: StateRecord): string => {
  const { status, terms, work } = state;
  const times = [deadlineOf(state), terms.inactivityTimeoutMs].map(finite);
  const { fencingToken = 0, until = 0, cancelled } = work.lease ?? {};
  const token = cancelled === undefined ? fencingToken : 0;
  const { askedAt: _, ...others } = work;
  const claimable = finite(wakeAtOf({ ...state, work: others }));
  return [letterOf(status), ...times, token, until, claimable].join(' ');
};

/** The labels of a state in their line. */
export const labelsLine = ({ labels }: StateRecord): string => labelTexts(labels).join(' ');

/** The state in its line. */
export const stateLine = (state: StateRecord): string => encodeState(state, undefined);

/** What a record counts. */
export interface Counts {
  readonly sequence: number;
  readonly entries: number;
  readonly bytes: number;
}

/** The record of a new session. */
export const encodeRecord = (
  incarnation: string,
  head: SessionHead,
  state: StateRecord,
  counts: Counts,
): string => {
  const fixed = [
    VERSION,
    revisionText(state.revision),
    incarnation,
    pad(Date.parse(head.createdAt), 15),
    activityText(state.lastActivityAt),
    pad(counts.sequence, 10),
    pad(counts.entries, 10),
    pad(counts.bytes, 12),
    // The tail.
    pad(0, 12),
    pad(state.work.askedAt ?? NEVER, 16),
    pad(state.work.inbox ?? 0, 6),
    // The first and the last message, and the number of redactions between the sides.
    pad(1, 10),
    pad(state.work.inbox ?? 0, 10),
    0,
    pad(0, 8),
    0,
  ];
  const header = `${fixed.join(' ')} ${stateFields(state)}`;
  return [header, '', labelsLine(state), stateLine(state), encodeHead(head)].join('\n');
};

/** A part of a journal: where it begins and ends. */
export type Piece = readonly [from: number, upto: number];

/** The header of a record and its ranges. */
export interface RecordHeader extends Counts, StateBeside {
  readonly incarnation: string;
  readonly created: number;
  readonly redactions: number;
  /** The parts of the journal that are the history. */
  readonly pieces: readonly Piece[];
  /** Length of the history. */
  readonly shown: number;
  /** The version of the history. */
  readonly version: string;
}

/** A record as text, read. */
export interface DecodedRecord {
  readonly header: RecordHeader;
  readonly head: SessionHead;
  readonly state: StateRecord;
}

const HEADER =
  /^1 \d{16} [\w-]{12} \d{15} \d{16}(?: \d{10}){2}(?: \d{12}){2} \d{16} \d{6}(?: \d{10}){2} \d \d{8} \d [IAPT](?: \d{1,16}){5}$/;
/** Numbers of lines in a record. */
const LINES = [5, 7];
const RANGES = /^\d+:(?: \d+-\d+-\d+)*$/;

/** The pieces of a history; `undefined` if they cannot be read, or are not in order. */
const piecesOf = (tail: number, line: string, bytes: number): readonly Piece[] | undefined => {
  if (tail === 0) return [[0, bytes]];
  const ranges = line.split(';').find((each) => each.startsWith(`${tail}:`)) ?? '';
  if (!RANGES.test(ranges)) return undefined;
  const pieces: Piece[] = [];
  for (const [, from, upto] of ranges.matchAll(/ (\d+)-(\d+)/g))
    pieces.push([Number(from), Number(upto)]);
  pieces.push([tail, bytes]);
  let end = 0;
  for (const [from, upto] of pieces) {
    if (from < end || upto < from) return undefined;
    end = upto;
  }
  return pieces;
};

/** The header and the ranges in their two lines; `undefined` if they cannot be read. */
export const decodeHeader = (line: string, ranges: string): RecordHeader | undefined => {
  if (!HEADER.test(line)) return undefined;
  const incarnation = line.slice(19, 31);
  const bytes = Number(line.slice(87, 99));
  const tail = Number(line.slice(100, 112));
  const redactions = Number(line.slice(161, 169));
  const pieces = piecesOf(tail, ranges, bytes);
  if (pieces === undefined) return undefined;
  let shown = 0;
  for (const [from, upto] of pieces) shown += upto - from;
  return {
    incarnation,
    created: Number(line.slice(32, 47)),
    revision: Number(line.slice(2, 18)),
    askedAt: Number(line.slice(113, 129)),
    inbox: Number(line.slice(130, 136)),
    lastActivityAt: Number(line.slice(48, 64)),
    sequence: Number(line.slice(65, 75)),
    entries: Number(line.slice(76, 86)),
    bytes,
    redactions,
    pieces,
    shown,
    version: `${incarnation}.${redactions}.${tail}`,
  };
};

/** The labels in their line of a record; `undefined` if it cannot be read. */
const labelsInLine = (line: string): SessionLabels | undefined => {
  const labels = line === '' ? {} : labelsOf(line.split(' '));
  return labelTexts(labels).join(' ') === line ? labels : undefined;
};

/** The mark of a removal, where the last activity would be. */
const REMOVED = /^1 \d{16} [\w-]{12} \d{15} x/;

/**
 * Whether a removal of the session has begun: the session is gone for all readers, and what is left
 * of it is deleted next. See `scripts/remove.lua`.
 */
export const isRemoved = (text: string): boolean => REMOVED.test(text);

/** The contents of a record; `undefined` if they cannot be read, or belong to another session. */
export const decodeRecord = (id: string, text: string): DecodedRecord | undefined => {
  const lines = text.split('\n', 8);
  const [first = '', ranges = '', labelled = '', latest, headText, , before] = lines;
  const stateText = first[159] === first[170] ? latest : before;
  const header = decodeHeader(first, ranges);
  const labels = labelsInLine(labelled);
  if (!LINES.includes(lines.length) || header === undefined || labels === undefined)
    return undefined;
  const state = decodeState(stateText, header, labelled === '' ? undefined : labels);
  const head = decodeHead(id, headText);
  return state && head && { header, head, state };
};

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

/**
 * The entries of whole lines, each with its position if the first one begins at `start`;
 * `undefined` if they cannot be read.
 */
export const decodePlaced = (
  lines: string,
  start: number,
): readonly PositionedEntry[] | undefined => {
  const texts = lines.split('\n');
  const entries = decodeLines(lines);
  if (entries?.length !== texts.length - 1) return undefined;
  let position = start;
  return entries.map((entry, at) => {
    position += Buffer.byteLength(texts[at] ?? '') + 1;
    return { ...entry, position };
  });
};
