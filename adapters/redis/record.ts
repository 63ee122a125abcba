import { fencingTokenOf } from '../../src/session/lease-state.js';
import type { HistoryEntry, PositionedEntry, SessionLabels } from '../../src/session/session.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import type { SessionStatus } from '../../src/session/session-status.js';
import { deadlineOf } from '../../src/session/time-limits.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import { finite, NEVER } from '../stored/infinite-times.js';
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

/*
 * A session is two strings. Its record has these lines, the last two only after some changes:
 *
 *     1 <revision> <incarnation> <created> <last activity> <sequence> <entries> <bytes> <tail>
 *       <asked> <inbox> <first> <last> <side> <redactions> <side> <status> <deadline> <inactivity>
 *       <fencing token> <leased until> <claimable>
 *     <ranges>
 *     <labels>
 *     <the state as JSON, without the values of `StateBeside` and its labels>
 *     <the head as JSON>
 *     <the fields from the second side on of the state before>
 *     <the state before as JSON>
 *
 * The fields up to the redactions have fixed widths, so that an append overwrites those from the
 * last activity to the first side where they are, and a message all of them. The others follow from
 * the state, for scripts, which read no JSON: the token is 0 for a cancelled lease, and `claimable`
 * is `wakeAtOf` without `asked`. `asked` is `work.askedAt`, `NEVER` for none, and `inbox` is
 * `work.inbox`. Times are in milliseconds since the epoch. `incarnation` distinguishes the session
 * from a later one with the same id. `bytes` is the committed length of the journal: data after
 * that length was never acknowledged. An `x` as the first character of the last activity marks a
 * removed session.
 *
 * A state that comes with entries, for example at the end of a turn, switches sides between 0 and
 * 1, and keeps the previous state. If a torn log applies such a change before an append that did
 * not know it, the append overwrites the entries and the first side: then the sides differ, and
 * the previous state counts.
 *
 * The journal is the history: a line of JSON and a comma for each entry. A rewind changes no line.
 * It adds an empty line, so that no position is used twice, and writes the parts of the journal
 * that are the history into the ranges:
 *
 *     <tail>:[ <beginning>-<end>-<entries up to the end>]...
 *
 * The last range begins at the tail and ends with the journal. If the tail is 0, the journal is
 * the history. After a semicolon follow the ranges of before the last rewind: an append overwrites
 * the tail, so it finds its own ranges again when a torn log applies a lost rewind before it.
 *
 * The inbox is a hash. The messages that wait have the numbers up to `last`, `inbox` of them, each
 * in a field `<number>`: the digest, the id, and after a newline the entry as JSON. For each
 * message ever sent, the field `=<id>` is `<digest>:<its numbers>`, followed by its place in the
 * journal, like an operation's, once it was taken, or by ` -` once it was withdrawn. The record and
 * the journal decide which of them count: a torn log may leave others. Messages that were taken or
 * withdrawn, from the number `first` on, stay until the next change of the inbox: an append
 * overwrites `inbox` and `last`, so messages wait again when a torn log applies a lost change
 * before it.
 */

const VERSION = '1';

const pad = (value: number, width: number): string => String(value).padStart(width, '0');

export const letterOf = (status: SessionStatus): string => status.charAt(0);

export const revisionText = (revision: number): string => pad(revision, 16);

export const activityText = (lastActivityAt: number): string => pad(lastActivityAt, 16);

/** The fields that repeat parts of the state for scripts. */
export const stateFields = (state: StateRecord): string => {
  const { status, terms, work } = state;
  const times = [deadlineOf(state), terms.inactivityTimeoutMs].map(finite);
  const token = fencingTokenOf(state);
  const until = work.lease?.until ?? 0;
  const { askedAt: _, ...others } = work;
  const claimable = finite(wakeAtOf({ ...state, work: others }));
  return [letterOf(status), ...times, token, until, claimable].join(' ');
};

export const labelsLine = ({ labels }: StateRecord): string => labelTexts(labels).join(' ');

export const stateLine = (state: StateRecord): string => encodeState(state, undefined);

export interface Counts {
  readonly sequence: number;
  readonly entries: number;
  readonly bytes: number;
}

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
    // The tail, which is 0 until the first rewind.
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

export type Piece = readonly [from: number, upto: number];

export interface RecordHeader extends Counts, StateBeside {
  readonly incarnation: string;
  readonly created: number;
  readonly redactions: number;
  readonly pieces: readonly Piece[];
  readonly shown: number;
  readonly version: string;
}

export interface DecodedRecord {
  readonly header: RecordHeader;
  readonly head: SessionHead;
  readonly state: StateRecord;
}

const HEADER =
  /^1 (\d{16}) ([\w-]{12}) (\d{15}) (\d{16}) (\d{10}) (\d{10}) (\d{12}) (\d{12}) (\d{16}) (\d{6})(?: \d{10}){2} \d (\d{8}) \d [IAPT](?: \d{1,16}){5}$/;
const LINES = [5, 7];
const RANGES = /^\d+:(?: \d+-\d+-\d+)*$/;

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

export const decodeHeader = (line: string, ranges: string): RecordHeader | undefined => {
  const [, revision, incarnation = '', ...fields] = HEADER.exec(line) ?? [];
  const [created = 0, lastActivityAt = 0, sequence = 0, entries = 0, ...others] =
    fields.map(Number);
  const [bytes = 0, tail = 0, askedAt = 0, inbox = 0, redactions = 0] = others;
  if (revision === undefined) return undefined;
  const pieces = piecesOf(tail, ranges, bytes);
  if (pieces === undefined) return undefined;
  let shown = 0;
  for (const [from, upto] of pieces) shown += upto - from;
  return {
    incarnation,
    created,
    revision: Number(revision),
    askedAt,
    inbox,
    lastActivityAt,
    sequence,
    entries,
    bytes,
    redactions,
    pieces,
    shown,
    version: `${incarnation}.${redactions}.${tail}`,
  };
};

const labelsInLine = (line: string): SessionLabels | undefined => {
  const labels = line === '' ? {} : labelsOf(line.split(' '));
  return labelTexts(labels).join(' ') === line ? labels : undefined;
};

/** The mark of a removal replaces the last activity. */
const REMOVED = /^1 \d{16} [\w-]{12} \d{15} x/;

/**
 * A marked session is gone for all readers, and its data is deleted next. See `scripts/remove.lua`.
 */
export const isRemoved = (text: string): boolean => REMOVED.test(text);

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

/** Replaces the first character of a journal that was written before its record. */
const UNCONFIRMED = '?';

export const encodeLines = (entries: readonly HistoryEntry[]): string =>
  entries.map((entry) => encodeEntry(entry) + LINE_END).join('');

export const decodeLines = (lines: string): readonly HistoryEntry[] | undefined => {
  if (lines === '') return [];
  if (lines.length <= LINE_END.length || !lines.endsWith(LINE_END)) return undefined;
  const text = lines.slice(0, -LINE_END.length);
  return decodeEntries(text.startsWith(UNCONFIRMED) ? `{${text.slice(1)}` : text);
};

/** Lines that begin at `start`, with positions; undefined if they cannot be read. */
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
    // Not copied: on Node 20, that takes as long as parsing the entry.
    return Object.assign(entry, { position });
  });
};
