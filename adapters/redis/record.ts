import { isLabels } from '../../src/input/read-labels.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { acceptsHistory } from '../../src/session/session-status.js';
import { labelsOf, labelTexts } from '../../src/store/label-texts.js';
import { finite, NEVER } from '../../src/store/never.js';
import { decodeHead, decodeState, encodeHead, encodeState } from '../../src/store/stored-json.js';
import { LETTERS, letterOf } from './status-letters.js';

/*
 * A session is two strings. Its record has three lines:
 *
 *     3 <status> <report> <open until> <deadline> <revision> <fencing token> <leased until> <limit> <inactivity>
 *       <last activity> <birth> <created> <sequence> <entries> <bytes> <size> <labels>
 *     <the state as JSON, without its last activity>
 *     <what never changes, as JSON without the labels>
 *
 * The fields before the labels have fixed widths and are all that scripts compare; the rest is for readers. Times are in
 * milliseconds since the epoch. `report` is 1 if the end of the session must be reported and is not yet, even if it is still
 * to come. The session accepts history until `open until`. `birth` tells it from a later session
 * with the same id. `entries` and `bytes` are the number of entries and the committed length of its journal: what is
 * behind that length in the journal was never acknowledged. `size` is the length of the record behind these fields.
 *
 * Its journal is the history: a line of JSON and a comma for each entry. An append writes there first, and then moves
 * `last activity`, `sequence`, `entries` and `bytes` on: it writes the fields from the first to the last of these.
 */

let nextStart = 0;

/** The place of the next field: each has a space behind it. */
const place = (width: number) => {
  const start = nextStart;
  nextStart += width + 1;
  return { width, start, end: start + width };
};

/** The fields of a record in their order. */
const FIELDS = {
  version: place(1),
  status: place(1),
  report: place(1),
  openUntil: place(16),
  deadline: place(16),
  revision: place(16),
  fencingToken: place(16),
  leasedUntil: place(16),
  limit: place(16),
  inactivity: place(16),
  lastActivity: place(16),
  birth: place(12),
  created: place(15),
  sequence: place(10),
  entries: place(10),
  bytes: place(12),
  size: place(10),
} as const;

type Field = keyof typeof FIELDS;

const VERSION = '3';

/** Length of the fields of fixed width, with the space behind them. */
export const HEADER_BYTES = FIELDS.size.end + 1;

/** Where the fields begin that an append changes. */
export const LAST_ACTIVITY_START = FIELDS.lastActivity.start;

const pad = (value: number | string, name: Field): string => String(value).padStart(FIELDS[name].width, '0');

/** Where the field begins that the report of an end changes. */
export const REPORT_START = FIELDS.report.start;

/** The fields that a state decides, from the first to the one before the birth. */
export const stateFields = (state: StateRecord): string => {
  const { status, deadline, revision, terms, lease, limitMs, lastActivityAt } = state;
  const openUntil = acceptsHistory[status] ? deadline : 0;
  const times = `${pad(finite(openUntil), 'openUntil')} ${pad(finite(deadline), 'deadline')}`;
  const leased = `${pad(lease?.fencingToken ?? 0, 'fencingToken')} ${pad(lease?.until ?? 0, 'leasedUntil')}`;
  const inactivity = pad(finite(terms.inactivityTimeoutMs), 'inactivity');
  const used = `${pad(finite(limitMs), 'limit')} ${inactivity} ${pad(lastActivityAt, 'lastActivity')}`;
  const report = pad(terms.reportEnds ? 1 : 0, 'report');
  return `${VERSION} ${letterOf(status)} ${report} ${times} ${pad(revision, 'revision')} ${leased} ${used} `;
};

/** A revision as scripts compare it. */
export const revisionText = (revision: number): string => pad(revision, 'revision');

/** The record of a new session. */
export const encodeRecord = (birth: string, { labels, ...head }: SessionHead, state: StateRecord): string => {
  const rest = `${labelTexts(labels).join(' ')}\n${encodeState(state)}\n${encodeHead(head)}`;
  const counts = `${pad(1, 'sequence')} ${pad(0, 'entries')} ${pad(0, 'bytes')}`;
  const created = pad(Date.parse(head.createdAt), 'created');
  return `${stateFields(state)}${birth} ${created} ${counts} ${pad(Buffer.byteLength(rest), 'size')} ${rest}`;
};

/** All fields of a record before its labels. */
const HEADER = new RegExp(
  `^${VERSION} [${LETTERS}] [01] (?:\\d{16} ){8}[\\w-]{12} \\d{15} (?:\\d{10} ){2}\\d{12} \\d{10} `,
);

const numberIn = (text: string, name: Field): number => Number(text.slice(FIELDS[name].start, FIELDS[name].end));

/** What the fields of a record say about its size and its journal. */
export interface JournalFields {
  readonly birth: string;
  readonly sequence: number;
  /** Number of entries. */
  readonly entries: number;
  /** Committed length of the journal. */
  readonly bytes: number;
}

/** A record as text, read. */
export interface DecodedRecord extends JournalFields {
  /** Whether the end of the session must be reported, and is not yet. */
  readonly owesReport: boolean;
  readonly head: SessionHead;
  readonly state: StateRecord;
}

/** The contents of a record; `undefined` if they cannot be read, or are another session's. */
export const decodeRecord = (id: string, text: string): DecodedRecord | undefined => {
  const stateStart = text.indexOf('\n') + 1;
  const headStart = text.indexOf('\n', stateStart) + 1;
  if (!HEADER.test(text) || stateStart <= HEADER_BYTES || headStart === 0) return undefined;
  const state = decodeState(text.slice(stateStart, headStart - 1), numberIn(text, 'lastActivity'));
  const head = decodeHead(id, text.slice(headStart));
  const [sequence, entries] = [numberIn(text, 'sequence'), numberIn(text, 'entries')];
  const bytes = numberIn(text, 'bytes');
  if (state === undefined || head === undefined || !Number.isSafeInteger(sequence + entries + bytes)) return undefined;
  const owesReport = numberIn(text, 'report') === 1;
  const fields = {
    state,
    owesReport,
    birth: text.slice(FIELDS.birth.start, FIELDS.birth.end),
    sequence,
    entries,
    bytes,
  };
  if (stateStart === HEADER_BYTES + 1) return { head, ...fields };
  const line = text.slice(HEADER_BYTES, stateStart - 1);
  const labels = labelsOf(line.split(' '));
  const isWhole = isLabels(labels) && labelTexts(labels).join(' ') === line;
  return isWhole ? { head: { ...head, labels }, ...fields } : undefined;
};

/* Pieces of Lua that read a record. `text` is a Lua expression. */

export const field = (text: string, name: Field): string =>
  `string.sub(${text}, ${FIELDS[name].start + 1}, ${FIELDS[name].end})`;

export const numberField = (text: string, name: Field): string => `tonumber(${field(text, name)})`;

/** When the session that is ACTIVE ends if nobody uses it. */
export const inactiveAt = (text: string): string =>
  `(${numberField(text, 'lastActivity')} + ${numberField(text, 'inactivity')})`;

/** When the clock ends the session unless somebody uses or changes it; after the end: when it is deleted. */
export const endOf = (text: string): string =>
  `math.min(${numberField(text, 'deadline')}, ${field(text, 'status')} == 'A' and ${inactiveAt(text)} or ${NEVER})`;

/** Whether a text begins with the fields of a record of this version. A field of another form would end a script. */
export const isRecord = (text: string): string =>
  `(string.match(${text}, '^${VERSION} [${LETTERS}] ${'%d+ '.repeat(9)}[%w_-]+ ${'%d+ '.repeat(5)}()') == ${HEADER_BYTES + 1})`;

/** The same for scripts that only return fields to readers, which check them: what it costs, it costs for each session of a page. */
export const startsRecord = (text: string): string => `(string.sub(${text}, 1, 2) == '${VERSION} ')`;

/** Defines `head`, the fields of the record in `key`, a Lua expression; '' if there is none. */
export const readHead = (key: string): string => `
local head = redis.pcall('GETRANGE', ${key}, '0', '${HEADER_BYTES - 1}')
-- Test doubles fail where there is no key.
if type(head) ~= 'string' then head = redis.call('GET', ${key}) or '' end`;

/** The fields that never change: the birth and the creation time, with the space behind them. */
export const originOf = (text: string): string =>
  `string.sub(${text}, ${FIELDS.birth.start + 1}, ${FIELDS.sequence.start})`;

/** A pattern for `string.format` of the fields that count changes and entries, with the space behind them. */
export const COUNTS_FORMAT = (['sequence', 'entries', 'bytes'] as const)
  .map((name) => `%0${FIELDS[name].width}d `)
  .join('');

/** The same for the last field. */
export const SIZE_FORMAT = `%0${FIELDS.size.width}d `;

/** The last activity of a record as text, or `now` where that is later. Both are Lua expressions; `now` is a text. */
export const laterActivity = (record: string, now: string): string =>
  `(tonumber(${now}) > ${numberField(record, 'lastActivity')}
    and string.rep('0', ${FIELDS.lastActivity.width} - #${now}) .. ${now} or ${field(record, 'lastActivity')})`;

/** The fields of a next state, a Lua expression, where a later activity of the record stays. */
export const withLaterActivity = (fields: string, record: string): string =>
  `string.sub(${fields}, 1, ${LAST_ACTIVITY_START}) .. ${laterActivity(record, field(fields, 'lastActivity'))} .. ' '`;
