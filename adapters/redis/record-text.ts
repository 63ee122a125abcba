import { nanoid } from 'nanoid';
import { isLabels } from '../../src/input/read-labels.js';
import type { SessionLabels } from '../../src/session/session.js';
import type { HoldRecord, SessionHead, StateRecord } from '../../src/session/session-record.js';
import { isEndReason, type SessionStatus, sessionStatuses } from '../../src/session/session-status.js';
import { acceptsHistoryUntil } from '../../src/session/timeline.js';
import { escapeName, unescapeName } from '../../src/store/escape-name.js';
import { finite, infinite } from '../../src/store/never.js';
import { isOptions } from '../../src/store/stored-json.js';

/*
 * A record is one state line, followed by the JSON of the parts that never change:
 *
 *     2 <deadline> <open> <revision> <status> <birth> <base> <created> <since> <active ms> <limit ms> <end reason> @<hold> =<operations> <writes>
 *     {"id":...,"options":{...},"createdAt":...}
 *     {"user":...}
 *
 * The last line holds the labels, if there are any.
 *
 * The first fields have fixed widths, so that a script can cut them out of the first bytes. Times are in milliseconds.
 * `open` is 1 if the status accepts history, until the deadline. The birth is the id of the write that created the
 * session. The base is the revision that the session began with: the number of the last change is revision - base + 1
 * plus the number of appends. The hold, if there was one, is `<fence>:<until>:<holder>` of the latest. The operations are
 * the state changes that callers named. The writes are those that
 * scripts recognise when they arrive again, newest first, each as `<id>:<number>:<status before>,`.
 *
 * After a session was removed, a line with status G remains for an hour, and the line of its labels. Its writes begin with the removal and the
 * latest appends, each as `<id>:<number>:<position>,`. A session that is created over it keeps its writes after `<birth
 * of the removed session>:1:-,`.
 */

export const ID_LENGTH = 12;

/** 72 random bits: enough to be unique among the writes of one session. */
export const newWriteId = (): string => nanoid(ID_LENGTH);

/** The status letter of a removed session. */
export const REMOVED = 'G';

const letters = { IDLE: 'I', ACTIVE: 'A', PAUSED: 'P', TERMINATED: 'T' } as const satisfies Record<
  SessionStatus,
  string
>;

export const statusLetter = (status: SessionStatus): string => letters[status];

export const statusOfLetter = (letter: string): SessionStatus | undefined =>
  sessionStatuses.find((status) => letters[status] === letter);

export const encodeRevision = (revision: number): string => String(revision).padStart(16, '0');

const encodeHold = (hold: HoldRecord | undefined): string =>
  hold === undefined ? '' : `@${hold.fence}:${hold.until}:${escapeName(hold.holder)} `;

/** The parts of a state line around those that scripts copy from the line before: birth, base and creation time. */
export interface StateParts {
  readonly start: string;
  readonly end: string;
}

export const encodeState = (state: StateRecord): StateParts => {
  const { deadline, revision, status, since, activeMs, limitMs, operations, hold } = state;
  const until = String(finite(deadline)).padStart(16, '0');
  const isOpen = acceptsHistoryUntil(state) > 0 ? 1 : 0;
  const endReason = state.status === 'TERMINATED' ? state.endReason : '-';
  return {
    start: `2 ${until} ${isOpen} ${encodeRevision(revision)} ${letters[status]} `,
    end: ` ${since} ${activeMs} ${finite(limitMs)} ${endReason} ${encodeHold(hold)}=${operations.join(',')} `,
  };
};

/** The part of a new session's line that never changes. */
export const encodeOrigin = (birth: string, { revision }: StateRecord, createdMs: number): string =>
  `${birth} ${encodeRevision(revision)} ${String(createdMs).padStart(15, '0')}`;

export const encodeHead = ({ id, options, labels, createdAt }: SessionHead): string => {
  const { face, profile, context, behavior, timeLimit } = options;
  const head = JSON.stringify({ id, options: { face, profile, context, behavior, timeLimit }, createdAt });
  return labels === undefined ? head : `${head}\n${JSON.stringify(labels)}`;
};

/** The contents of a state line. */
export interface DecodedState {
  readonly state: StateRecord;
  readonly birth: string;
  /** Number of times that the state was written. */
  readonly changes: number;
  /** The last write of the state, if the state was written again after the creation. */
  readonly lastWrite: { readonly sequence: number; readonly before: string } | undefined;
}

const line =
  /^2 (\d{16}) [01] (\d{16}) ([IAPTG]) ([\w-]{12}) (\d{16}) \d{15} (\d+) (\d+) (\d+) (-|\w+) (?:@(\d+):(\d+):([\w.~%-]*) )?=([\w.~:,-]*) (?:[\w-]{12}:(\d+):([IAPT-]),)?[\w.~:,-]*(?:\n|$)/;

/** The state in a record or its line; `removed` if the session was removed, `undefined` if the line cannot be read. */
export const decodeState = (text: string): DecodedState | 'removed' | undefined => {
  const match = line.exec(text);
  if (match === null) return undefined;
  // Not as an array: every page does this for each of its sessions, and an array's iterator takes as long as the rest.
  const { 1: deadline, 2: revision, 3: letter = '', 4: birth = '', 5: base, 6: since, 7: activeMs, 8: limitMs } = match;
  const {
    9: endReason,
    10: fence,
    11: until,
    12: holder = '',
    13: operations = '',
    14: sequence,
    15: before = '',
  } = match;
  if (letter === REMOVED) return 'removed';
  const status = statusOfLetter(letter);
  const phase = {
    revision: Number(revision),
    since: Number(since),
    activeMs: Number(activeMs),
    limitMs: infinite(Number(limitMs)),
    deadline: infinite(Number(deadline)),
    operations: operations === '' ? [] : operations.split(','),
    ...(fence !== undefined && { hold: { holder: unescapeName(holder), fence: Number(fence), until: Number(until) } }),
  };
  const changes = phase.revision - Number(base) + 1;
  const lastWrite = sequence === undefined ? undefined : { sequence: Number(sequence), before };
  if (status === 'TERMINATED') {
    return isEndReason(endReason) ? { state: { status, ...phase, endReason }, birth, changes, lastWrite } : undefined;
  }
  if (status === undefined || endReason !== '-') return undefined;
  return { state: { status, ...phase }, birth, changes, lastWrite };
};

/** The labels in a record, also in that of a removed session; none if they cannot be read. */
export const decodeLabels = (text: string): SessionLabels => {
  try {
    const labels: unknown = JSON.parse(text.split('\n')[2] ?? '{}');
    return isLabels(labels) ? labels : {};
  } catch {
    return {};
  }
};

/**
 * The parts of a session that never change, from its record; `undefined` if they cannot be read or are another
 * session's.
 */
export const decodeHead = (id: string, text: string): SessionHead | undefined => {
  try {
    const start = text.indexOf('\n') + 1;
    const end = text.indexOf('\n', start);
    const head: Readonly<Record<string, unknown>> = JSON.parse(text.slice(start, end < 0 ? undefined : end));
    const { options, createdAt } = head;
    if (head['id'] !== id || !isOptions(options) || typeof createdAt !== 'string') return undefined;
    if (end < 0) return { id, options, createdAt };
    const labels: unknown = JSON.parse(text.slice(end + 1));
    return isLabels(labels) ? { id, options, labels, createdAt } : undefined;
  } catch {
    return undefined;
  }
};

/** The fields of fixed width that readers of deadlines need. */
export interface FixedFields {
  readonly status: SessionStatus;
  readonly deadline: number;
  readonly createdMs: number;
}

const fixedFields = /^2 (\d{16}) [01] \d{16} ([IAPTG]) [\w-]{12} \d{16} (\d{15}) /;

/** Decodes the fields of fixed width; `removed` if there is no session, `undefined` if they cannot be read. */
export const decodeFixed = (head: string): FixedFields | 'removed' | undefined => {
  const [, deadline, letter = '', createdMs] = fixedFields.exec(head) ?? [];
  if (head === '' || letter === REMOVED) return 'removed';
  const status = statusOfLetter(letter);
  return status && { status, deadline: infinite(Number(deadline)), createdMs: Number(createdMs) };
};

/* Pieces of Lua that read a state line in scripts. `text` is a Lua expression. */

/** Positions of the fields of fixed width: the first and the last character, counted from 1 as in Lua. */
const FIELDS = {
  deadline: [3, 18],
  open: [20, 20],
  revision: [22, 37],
  status: [39, 39],
  birth: [41, 52],
  base: [54, 69],
  created: [71, 85],
} as const;

/** Length of the fields of fixed width. */
export const FIXED_LENGTH = 86;

export const field = (text: string, name: keyof typeof FIELDS): string =>
  `string.sub(${text}, ${FIELDS[name][0]}, ${FIELDS[name][1]})`;

/** Whether a text has the fields of fixed width. */
export const isFixed = (text: string): string =>
  `(string.sub(${text}, 1, 2) == '2 ' and string.sub(${text}, ${FIXED_LENGTH}, ${FIXED_LENGTH}) == ' ')`;

/** The labels line of the record in a text, after a line feed; '' if there is none. */
export const labelsLineOf = (text: string): string => `(string.match(${text}, '^[^\\n]*\\n[^\\n]*(\\n.*)') or '')`;

/** Number of times that the state was written. */
export const changesOf = (text: string): string =>
  `(tonumber(${field(text, 'revision')}) - tonumber(${field(text, 'base')}) + 1)`;

/**
 * Defines `head`, the fields of fixed width of the record in KEYS[1], '' if they cannot be read, and `isAlive`: whether
 * there is a session, readable or not. Any error other than that of a key of a wrong type ends the script.
 */
export const readHead = `
local head = redis.pcall('GETRANGE', KEYS[1], 0, ${FIXED_LENGTH - 1})
if type(head) == 'table' and not string.find(head.err, 'WRONGTYPE', 1, true) then return head end
if type(head) ~= 'string' or not ${isFixed('head')} then head = '' end
local isAlive = ${field('head', 'status')} ~= '${REMOVED}'
if head == '' then isAlive = redis.pcall('STRLEN', KEYS[1]) ~= 0 end`;

/**
 * Defines `recall(line, id)`, which looks up a write in a state line. It returns the number of the write, the detail
 * after the number, and the birth of the session that was written, which may be an earlier session with the same id.
 */
export const recall = `
local function recall(line, id)
  local at = string.find(line, id .. ':', 1, true)
  if not at then return nil end
  local number, detail = string.match(line, '^(%d+):([^,]*),', at + ${ID_LENGTH + 1})
  local birth = string.match(string.sub(line, 1, at - 1), '.*[ ,]([%w_-]+):1:%-,') or ${field('line', 'birth')}
  return tonumber(number), detail, birth
end`;
