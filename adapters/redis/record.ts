import { isLabels } from '../../src/input/parse-labels.js';
import type { SessionLabels } from '../../src/session/session.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { acceptsHistory } from '../../src/session/session-status.js';
import { acceptsHistoryUntil } from '../../src/session/state-at.js';
import { labelsOf, labelTexts } from '../shared/label-texts.js';
import { finite, NEVER } from '../shared/never.js';
import {
  encodeHead,
  encodeState,
  headIn,
  type StateBeside,
  stateIn,
} from '../shared/stored-json.js';
import { letterOf } from './status-letters.js';

/*
 * A session is two strings. Its record has five lines:
 *
 *     1 <revision> <incarnation> <created> <last activity> <sequence> <entries> <bytes> <tail>
 *       <redactions> <wake> <status> <open until> <grace> <deadline> <inactivity> <fencing token> <leased until>
 *     <ranges>
 *     <labels>
 *     <the state as JSON, without its revision, its last activity, its wake and its labels>
 *     <what never changes, as JSON>
 *
 * The fields up to the wake have fixed widths, so that an append overwrites those from the last
 * activity to the tail where they are, and one that wakes all of them. The others follow from the
 * state, for scripts, which read no JSON. `wake` is the `wakeAt` of the state, `NEVER` for none.
 * Times are in milliseconds since the epoch. `incarnation` distinguishes the session from a later
 * one with the same id. The session accepts history until `open until`, which includes `grace`,
 * unless the inactivity timeout ends it before. `bytes` is the committed length of the journal:
 * data after that length was never acknowledged.
 *
 * The journal is the history: a line of JSON and a comma for each entry. A rewind changes no line.
 * It adds a line that is no entry, so that no position is used twice, and writes the parts of the
 * journal that are the history into the ranges:
 *
 *     <tail> <bytes that belong to no range>[ <beginning>-<end>-<entries up to the end>]...
 *
 * The last range begins at the tail and ends with the journal. If the tail is 0, the whole journal
 * is the history. The line also has the ranges of before the last rewind, after a semicolon: an
 * append overwrites the tail, so that it finds its own ranges again when a torn log applies a lost
 * rewind before it.
 */

const VERSION = '1';

const WIDTHS = {
  revision: 16,
  created: 15,
  lastActivity: 16,
  sequence: 10,
  entries: 10,
  bytes: 12,
  tail: 12,
  redactions: 8,
  wakeAt: 16,
} as const;

/** Where the fields of fixed width are. */
const INCARNATION_AT = 19;
const OFFSETS = {
  revision: 2,
  created: 32,
  lastActivity: 48,
  sequence: 65,
  entries: 76,
  bytes: 87,
  tail: 100,
  redactions: 113,
  wakeAt: 122,
} as const;

const pad = (value: number, name: keyof typeof WIDTHS): string =>
  String(value).padStart(WIDTHS[name], '0');

/** A revision as scripts compare it. */
export const revisionText = (revision: number): string => pad(revision, 'revision');

/** A last activity as scripts write it. */
export const activityText = (lastActivityAt: number): string => pad(lastActivityAt, 'lastActivity');

/** The wake of a state, and the fields that follow from it. */
export const stateFields = (state: StateRecord): string => {
  const { status, deadline, terms, lease } = state;
  // Without the end by inactivity, because a later activity may postpone that.
  const open = acceptsHistory[status] ? deadline + terms.graceMs : acceptsHistoryUntil(state);
  const times = [open, terms.graceMs, deadline, terms.inactivityTimeoutMs].map(finite);
  const wake = pad(finite(state.wakeAt ?? NEVER), 'wakeAt');
  return [wake, letterOf(status), ...times, lease?.fencingToken ?? 0, lease?.until ?? 0].join(' ');
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
    pad(Date.parse(head.createdAt), 'created'),
    activityText(state.lastActivityAt),
    pad(counts.sequence, 'sequence'),
    pad(counts.entries, 'entries'),
    pad(counts.bytes, 'bytes'),
    pad(0, 'tail'),
    pad(0, 'redactions'),
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

const HEADER = new RegExp(
  `^${VERSION} \\d{16} [\\w-]{12} \\d{15} \\d{16} \\d{10} \\d{10} \\d{12} \\d{12} \\d{8} \\d{16} [IAPT](?: \\d{1,16}){6}$`,
);
const RANGES = /^\d+ (\d+)((?: \d+-\d+-\d+)*)$/;

/**
 * The bytes that belong to no range, and the ranges before the last one; `undefined` if they cannot
 * be read.
 */
const rangesOf = (
  tail: number,
  line: string,
): readonly [hidden: number, others: string] | undefined => {
  if (tail === 0) return [0, ''];
  const present = line.split(';').find((ranges) => ranges.startsWith(`${tail} `));
  const [, hidden, others = ''] = RANGES.exec(present ?? '') ?? [];
  return hidden === undefined ? undefined : [Number(hidden), others];
};

/** The pieces of a history; `undefined` if they are not in order or not of this length. */
const piecesOf = (
  tail: number,
  hidden: number,
  others: string,
  bytes: number,
): readonly Piece[] | undefined => {
  if (tail === 0) return [[0, bytes]];
  const pieces = others.split(' ').flatMap((range): readonly Piece[] => {
    const [from, upto] = range.split('-').map(Number);
    return from === undefined || upto === undefined ? [] : [[from, upto]];
  });
  const all: readonly Piece[] = [...pieces, [tail, bytes]];
  let [end, shown] = [0, 0];
  for (const [from, upto] of all) {
    if (from < end || upto < from) return undefined;
    end = upto;
    shown += upto - from;
  }
  return shown === bytes - hidden ? all : undefined;
};

/** The header and the ranges in their two lines; `undefined` if they cannot be read. */
export const decodeHeader = (header: string, ranges: string): RecordHeader | undefined => {
  if (!HEADER.test(header)) return undefined;
  const numberAt = (name: keyof typeof OFFSETS): number =>
    Number(header.slice(OFFSETS[name], OFFSETS[name] + WIDTHS[name]));
  const incarnation = header.slice(INCARNATION_AT, OFFSETS.created - 1);
  const bytes = numberAt('bytes');
  const tail = numberAt('tail');
  const redactions = numberAt('redactions');
  const created = numberAt('created');
  const lastActivityAt = numberAt('lastActivity');
  const sequence = numberAt('sequence');
  const entries = numberAt('entries');
  const version = `${incarnation}.${redactions}.${tail}`;
  const read = rangesOf(tail, ranges);
  if (read === undefined) return undefined;
  const [hidden, earlier] = read;
  const pieces = piecesOf(tail, hidden, earlier, bytes);
  if (pieces === undefined) return undefined;
  const shown = bytes - hidden;
  return {
    incarnation,
    created,
    revision: numberAt('revision'),
    wakeAt: numberAt('wakeAt'),
    lastActivityAt,
    sequence,
    entries,
    bytes,
    redactions,
    pieces,
    shown,
    version,
  };
};

/** The labels in their line of a record; `undefined` if it cannot be read. */
const labelsInLine = (line: string): SessionLabels | undefined => {
  const labels = labelsOf(line.split(' '));
  return isLabels(labels) && labelTexts(labels).join(' ') === line ? labels : undefined;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The contents of a record; `undefined` if they cannot be read, or belong to another session. */
export const decodeRecord = (id: string, text: string): DecodedRecord | undefined => {
  // Where its lines begin: 0 for a line that is missing.
  const ranges = text.indexOf('\n') + 1;
  const labels = text.indexOf('\n', ranges) + 1;
  const state = text.indexOf('\n', labels) + 1;
  const head = text.indexOf('\n', state) + 1;
  const hasAll = ranges > 0 && labels > ranges && state > labels && head > state;
  if (!hasAll || text.includes('\n', head)) return undefined;
  const header = decodeHeader(text.slice(0, ranges - 1), text.slice(ranges, labels - 1));
  if (header === undefined) return undefined;
  const hasLabels = state - labels > 1;
  const given = hasLabels ? labelsInLine(text.slice(labels, state - 1)) : undefined;
  if (hasLabels && given === undefined) return undefined;
  const foundState = stateIn(parse(text.slice(state, head - 1)), header, given);
  const foundHead = headIn(id, parse(text.slice(head)));
  if (foundState === undefined || foundHead === undefined) return undefined;
  return { header, head: foundHead, state: foundState };
};
