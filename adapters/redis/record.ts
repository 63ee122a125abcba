import { isLabels } from '../../src/input/parse-labels.js';
import type { SessionLabels } from '../../src/session/session.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { acceptsHistory } from '../../src/session/session-status.js';
import { acceptsHistoryUntil } from '../../src/session/state-at.js';
import { labelsOf, labelTexts } from '../shared/label-texts.js';
import { finite, NEVER } from '../shared/never.js';
import { decodeHead, decodeState, encodeHead, encodeState } from '../shared/stored-json.js';
import { letterOf, STATUS_LETTERS } from './status-letters.js';

/*
 * A session is two strings. Its record has three lines:
 *
 *     3 <status> <report> <open until> <grace> <deadline> <revision> <fencing token> <leased until> <limit> <inactivity>
 *       <last activity> <incarnation> <created> <redactions> <sequence> <entries> <bytes> <span> <shown> <size>
 *       <labels>
 *     <the state as JSON, without its last activity and its labels>
 *     <what never changes, as JSON>
 *
 * The fields before the labels have fixed widths, and scripts compare only these. Times are in milliseconds since the
 * epoch. `report` is 1 if the end of the session must be reported and has not been, even if the session has not ended.
 * The session accepts history until `open until`, which includes `grace`, unless the inactivity timeout ends it before.
 * `incarnation` distinguishes it from a later session with the same id. `redactions` and `entries` are the numbers of
 * redactions and of entries, and `bytes` is the committed length of the journal: data after that length was never
 * acknowledged. After a rewind, the last span of the history begins at `span` (`scripts/spans.ts`), and the history has
 * `shown` bytes in total. `size` is the length of the record after these fields.
 *
 * The journal is the history: a line of JSON and a comma for each entry. An append writes to the journal first, and
 * then to `last activity`, `sequence` and the fields from `entries` to `shown`: one write overwrites all fields between
 * these.
 */

let nextStart = 0;

/** A field of fixed width, after the one before it and a space. */
const fixed = (width: number) => {
  const start = nextStart;
  nextStart += width + 1;
  return { width, start, end: start + width };
};

/** The fields of a record in their order. */
const FIELDS = {
  version: fixed(1),
  status: fixed(1),
  report: fixed(1),
  openUntil: fixed(16),
  grace: fixed(16),
  deadline: fixed(16),
  revision: fixed(16),
  fencingToken: fixed(16),
  leasedUntil: fixed(16),
  limit: fixed(16),
  inactivity: fixed(16),
  lastActivity: fixed(16),
  incarnation: fixed(12),
  created: fixed(15),
  redactions: fixed(10),
  sequence: fixed(10),
  entries: fixed(10),
  bytes: fixed(12),
  span: fixed(12),
  shown: fixed(12),
  size: fixed(10),
} as const;

type Field = keyof typeof FIELDS;

const VERSION = '3';

/** Length of the fields of fixed width, with the space after them. */
export const HEADER_BYTES = FIELDS.size.end + 1;

/** The beginning of the fields that an append changes. */
export const LAST_ACTIVITY_START = FIELDS.lastActivity.start;

/** The end of the last field that determines when a session ends. */
export const LAST_ACTIVITY_END = FIELDS.lastActivity.end;

const pad = (value: number | string, name: Field): string => String(value).padStart(FIELDS[name].width, '0');

/** The beginning of the fields that count redactions and changes. */
export const REDACTIONS_START = FIELDS.redactions.start;

/** The beginning of the fields that count changes and entries. */
export const SEQUENCE_START = FIELDS.sequence.start;

/** The beginning of the field with the length of the rest. */
export const SIZE_START = FIELDS.size.start;

/** The beginning of the field that the report of an end changes. */
export const REPORT_START = FIELDS.report.start;

/** The fields that depend on the state, from the first to the one before the incarnation. */
export const stateFields = (state: StateRecord): string => {
  const { status, deadline, revision, terms, lease, limitMs, lastActivityAt } = state;
  // Without the end by inactivity, because a later activity may postpone that.
  const open = acceptsHistory[status] ? deadline + terms.graceMs : acceptsHistoryUntil(state);
  const until = `${pad(finite(open), 'openUntil')} ${pad(terms.graceMs, 'grace')}`;
  const times = `${until} ${pad(finite(deadline), 'deadline')}`;
  const leased = `${pad(lease?.fencingToken ?? 0, 'fencingToken')} ${pad(lease?.until ?? 0, 'leasedUntil')}`;
  const inactivity = pad(finite(terms.inactivityTimeoutMs), 'inactivity');
  const used = `${pad(finite(limitMs), 'limit')} ${inactivity} ${pad(lastActivityAt, 'lastActivity')}`;
  const report = pad(terms.reportEnds ? 1 : 0, 'report');
  return `${VERSION} ${letterOf(status)} ${report} ${times} ${pad(revision, 'revision')} ${leased} ${used} `;
};

/** A revision as scripts compare it. */
export const revisionText = (revision: number): string => pad(revision, 'revision');

/** The labels and the JSON of a state: the lines between the fields of fixed width and the head. */
export const stateLines = (state: StateRecord): string =>
  `${labelTexts(state.labels).join(' ')}\n${encodeState(state, undefined)}`;

/** The labels in their line of a record; `undefined` if it cannot be read. */
const labelsInLine = (line: string): SessionLabels | undefined => {
  const labels = labelsOf(line.split(' '));
  return isLabels(labels) && labelTexts(labels).join(' ') === line ? labels : undefined;
};

/** The record of a new session. */
export const encodeRecord = (incarnation: string, head: SessionHead, state: StateRecord): string => {
  const rest = `${stateLines(state)}\n${encodeHead(head)}`;
  const counts = `${pad(1, 'sequence')} ${pad(0, 'entries')} ${pad(0, 'bytes')} ${pad(0, 'span')} ${pad(0, 'shown')}`;
  const created = pad(Date.parse(head.createdAt), 'created');
  return `${stateFields(state)}${incarnation} ${created} ${pad(0, 'redactions')} ${counts} ${pad(Buffer.byteLength(rest), 'size')} ${rest}`;
};

/** All fields of a record before its labels. */
const HEADER = new RegExp(
  `^${VERSION} [${STATUS_LETTERS}] [01] (?:\\d{16} ){9}[\\w-]{12} \\d{15} (?:\\d{10} ){3}(?:\\d{12} ){3}\\d{10} `,
);

const numberIn = (text: string, name: Field): number => Number(text.slice(FIELDS[name].start, FIELDS[name].end));

/** The fields of a record about its size and its journal. */
export interface JournalFields {
  readonly incarnation: string;
  readonly sequence: number;
  /** Number of entries. */
  readonly entries: number;
  /** Committed length of the journal. */
  readonly bytes: number;
  /** Where the last span of the history begins; 0 if it was never rewound. */
  readonly span: number;
  /** Length of the history in the journal. */
  readonly shown: number;
}

/** A record as text, read. */
export interface DecodedRecord extends JournalFields {
  /** Whether the end of the session must be reported, and is not yet. */
  readonly owesReport: boolean;
  readonly head: SessionHead;
  readonly state: StateRecord;
}

/** The contents of a record; `undefined` if they cannot be read, or belong to another session. */
export const decodeRecord = (id: string, text: string): DecodedRecord | undefined => {
  const stateStart = text.indexOf('\n') + 1;
  const headStart = text.indexOf('\n', stateStart) + 1;
  if (!HEADER.test(text) || stateStart <= HEADER_BYTES || headStart === 0) return undefined;
  const line = text.slice(HEADER_BYTES, stateStart - 1);
  const labels = line === '' ? undefined : labelsInLine(line);
  if (line !== '' && labels === undefined) return undefined;
  const state = decodeState(text.slice(stateStart, headStart - 1), numberIn(text, 'lastActivity'), labels);
  const head = decodeHead(id, text.slice(headStart));
  const [sequence, entries] = [numberIn(text, 'sequence'), numberIn(text, 'entries')];
  const [bytes, span, shown] = [numberIn(text, 'bytes'), numberIn(text, 'span'), numberIn(text, 'shown')];
  if (state === undefined || head === undefined || !Number.isSafeInteger(sequence + entries + bytes)) return undefined;
  if (span > bytes || (span === 0 ? shown !== bytes : shown >= bytes)) return undefined;
  const owesReport = numberIn(text, 'report') === 1;
  const incarnation = text.slice(FIELDS.incarnation.start, FIELDS.incarnation.end);
  return { head, state, owesReport, incarnation, sequence, entries, bytes, span, shown };
};

/* Lua expressions that read a record. `text` is a Lua expression too. */

export const field = (text: string, name: Field): string =>
  `string.sub(${text}, ${FIELDS[name].start + 1}, ${FIELDS[name].end})`;

export const numberField = (text: string, name: Field): string => `tonumber(${field(text, name)})`;

/** A Lua expression: when an ACTIVE session ends if it is not used. */
export const inactiveAt = (text: string): string =>
  `(${numberField(text, 'lastActivity')} + ${numberField(text, 'inactivity')})`;

/**
 * A Lua expression: when the clock ends the session unless it is used or changed before; after the end: when it is
 * deleted.
 */
export const endOf = (text: string): string =>
  `math.min(${numberField(text, 'deadline')}, ${field(text, 'status')} == 'A' and ${inactiveAt(text)} or ${NEVER})`;

/**
 * A Lua expression: whether a text begins with the fields of a record of this version. A field of another form would
 * make a script fail.
 */
export const isRecord = (text: string): string =>
  `(string.match(${text}, '^${VERSION} [${STATUS_LETTERS}] ${'%d+ '.repeat(10)}[%w_-]+ ${'%d+ '.repeat(8)}()') == ${HEADER_BYTES + 1})`;

/**
 * A faster check for scripts that run it for each session of a page and return the fields to readers, which check them
 * fully.
 */
export const startsRecord = (text: string): string => `(string.sub(${text}, 1, 2) == '${VERSION} ')`;

/**
 * A Lua expression: whether the history of a record was ever rewound. Compares texts, because a damaged field may not
 * be a number.
 */
export const wasRewound = (text: string): string => `(${field(text, 'span')} ~= '${pad(0, 'span')}')`;

/** Defines `head`, the fields of the record in `key`, a Lua expression; '' if there is none. */
export const readHead = (key: string): string => `
local head = redis.pcall('GETRANGE', ${key}, '0', '${HEADER_BYTES - 1}')
-- GETRANGE of test doubles fails for a missing key.
if type(head) ~= 'string' then head = redis.call('GET', ${key}) or '' end`;

/**
 * A Lua expression: the version of a history. A rewind moves the beginning of the last span; an append at the end does
 * not.
 */
export const historyVersion = (text: string): string =>
  `(${field(text, 'incarnation')} .. '.' .. ${field(text, 'redactions')} .. '.' .. ${field(text, 'span')})`;

/** The fields from the incarnation to the number of redactions, with the space after them. */
export const originOf = (text: string): string =>
  `string.sub(${text}, ${FIELDS.incarnation.start + 1}, ${FIELDS.sequence.start})`;

/** A pattern for `string.format` of some fields, with the space after each. */
export const formatOf = (...names: readonly Field[]): string =>
  names.map((name) => `%0${FIELDS[name].width}d `).join('');

/** The fields of the history, from the number of its entries on, with the space after them. */
export const historyOf = (text: string): string =>
  `string.sub(${text}, ${FIELDS.entries.start + 1}, ${FIELDS.size.start})`;

/** A Lua expression: the last activity of a record or `now`, whichever is later. Both are Lua expressions of texts. */
export const laterActivity = (record: string, now: string): string =>
  `(tonumber(${now}) > ${numberField(record, 'lastActivity')}
    and string.rep('0', ${FIELDS.lastActivity.width} - #${now}) .. ${now} or ${field(record, 'lastActivity')})`;

/** A Lua expression: the fields of the next state, with the activity of the record if that is later. */
export const withLaterActivity = (fields: string, record: string): string =>
  `string.sub(${fields}, 1, ${LAST_ACTIVITY_START}) .. ${laterActivity(record, field(fields, 'lastActivity'))} .. ' '`;
