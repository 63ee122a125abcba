import type { SessionHead, StateRecord } from '../../src/session/record.js';
import type { SessionOptions } from '../../src/session/session.js';
import { acceptsHistoryUntil } from '../../src/session/timeline.js';
import { isEndReason, type SessionStatus } from '../../src/status.js';

/*
 * A record is one line of state and behind it the JSON of what never changes:
 *
 *     2 <deadline> <open> <revision> <status> <birth> <base> <created> <since> <active ms> <limit ms> <end reason> =<operations> <writes>
 *     {"id":...,"options":{...},"createdAt":...}
 *
 * The first fields have fixed widths, so that a script cuts them out of the first bytes. Times are milliseconds. `open`
 * is 1 where the status accepts history, until the deadline. The birth is the id of the write that created the session,
 * the base the revision that it began with: the number of the last change is revision - base + 1 and the number of
 * appends. The operations are those that callers named. The writes are those that scripts recognise when they arrive
 * once more, newest first, each as `<id>:<number>:<status before>,`.
 *
 * Where a session was removed, a line of status G remains for an hour. Its writes include the latest appends, each as
 * `<id>:<number>:<position>,`.
 */

/** Stands for `Infinity`: scripts compare it as they compare any time, and no time reaches it. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Where the fields of fixed width are: the first character and the last, counted from 1 as Lua does. */
export const FIELDS = {
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

/** An expression of Lua for a field of a text. */
export const field = (text: string, name: keyof typeof FIELDS): string =>
  `string.sub(${text}, ${FIELDS[name][0]}, ${FIELDS[name][1]})`;

/** A condition of Lua: whether a text has the fields of fixed width. */
export const isFixed = (text: string): string =>
  `(string.sub(${text}, 1, 2) == '2 ' and string.sub(${text}, ${FIXED_LENGTH}, ${FIXED_LENGTH}) == ' ')`;

/**
 * An expression of Lua for the fields of fixed width of the record under a key: '' where there is none. Asked for their
 * length first, for doubles of a server fail at a part of a string that is not there.
 */
export const readFixed = (key: string): string =>
  `(redis.call('STRLEN', ${key}) > 0 and redis.call('GETRANGE', ${key}, 0, ${FIXED_LENGTH - 1}) or '')`;

const letters = { IDLE: 'I', ACTIVE: 'A', PAUSED: 'P', TERMINATED: 'T' } as const satisfies Record<
  SessionStatus,
  string
>;

/** Of a session that was removed. */
export const REMOVED = 'G';

export const statusOfLetter = (letter: string | undefined): SessionStatus | undefined => {
  switch (letter) {
    case letters.IDLE:
      return 'IDLE';
    case letters.ACTIVE:
      return 'ACTIVE';
    case letters.PAUSED:
      return 'PAUSED';
    case letters.TERMINATED:
      return 'TERMINATED';
    default:
      return undefined;
  }
};

export const statusLetter = (status: SessionStatus): string => letters[status];

const finite = (ms: number): number => (ms === Number.POSITIVE_INFINITY ? NEVER : ms);
const infinite = (ms: number): number => (ms === NEVER ? Number.POSITIVE_INFINITY : ms);
const fixed = (value: number): string => String(finite(value)).padStart(16, '0');

/** The parts of a state line around what scripts copy from the line before: birth, base and time of creation. */
export interface StateParts {
  readonly start: string;
  readonly end: string;
}

export const encodeState = (state: StateRecord): StateParts => {
  const { deadline, revision, status, since, activeMs, limitMs, operations } = state;
  const isOpen = acceptsHistoryUntil(state) > 0 ? 1 : 0;
  const endReason = state.status === 'TERMINATED' ? state.endReason : '-';
  return {
    start: `2 ${fixed(deadline)} ${isOpen} ${fixed(revision)} ${letters[status]} `,
    end: ` ${since} ${activeMs} ${finite(limitMs)} ${endReason} =${operations.join(',')} `,
  };
};

/** The part of a new session's line that is never changed. */
export const encodeOrigin = (birth: string, state: StateRecord, createdMs: number): string =>
  `${birth} ${fixed(state.revision)} ${String(createdMs).padStart(15, '0')}`;

export const encodeHead = ({ id, options, createdAt }: SessionHead): string => {
  const { face, profile, context, behavior, timeLimit } = options;
  return JSON.stringify({ id, options: { face, profile, context, behavior, timeLimit }, createdAt });
};

/** What a state line says. */
export interface DecodedState {
  readonly state: StateRecord;
  readonly birth: string;
  readonly createdMs: number;
  /** How many times the state was written. */
  readonly changes: number;
  /** The last write that the line knows of. */
  readonly lastWrite: { readonly sequence: number; readonly before: string } | undefined;
}

const line =
  /^2 (\d{16}) [01] (\d{16}) ([IAPTG]) ([\w-]{12}) (\d{16}) (\d{15}) (\d+) (\d+) (\d+) (-|\w+) =([\w.~:,-]*) ([\w.~:,-]*)(?:\n|$)/;

/** The state that a record or its line holds; `removed` where the session is gone, nothing where it cannot be read. */
export const decodeState = (text: string): DecodedState | 'removed' | undefined => {
  const match = line.exec(text);
  if (match === null) return undefined;
  const [, deadline, revision, letter, birth = '', base, created, since, activeMs, limitMs, endReason, named, writes] =
    match;
  if (letter === REMOVED) return 'removed';
  const status = statusOfLetter(letter);
  const phase = {
    revision: Number(revision),
    since: Number(since),
    activeMs: Number(activeMs),
    limitMs: infinite(Number(limitMs)),
    deadline: infinite(Number(deadline)),
    operations: named === '' || named === undefined ? [] : named.split(','),
  };
  const [, sequence, before = ''] = (writes ?? '').split(',', 1)[0]?.split(':') ?? [];
  const rest = {
    birth,
    createdMs: Number(created),
    changes: phase.revision - Number(base) + 1,
    lastWrite: sequence === undefined ? undefined : { sequence: Number(sequence), before },
  };
  if (status === 'TERMINATED') {
    return isEndReason(endReason) ? { ...rest, state: { status, ...phase, endReason } } : undefined;
  }
  return status === undefined || endReason !== '-' ? undefined : { ...rest, state: { status, ...phase } };
};

const isOptions = (value: unknown): value is SessionOptions =>
  typeof value === 'object' &&
  value !== null &&
  'face' in value &&
  typeof value.face === 'string' &&
  'profile' in value &&
  typeof value.profile === 'string' &&
  'context' in value &&
  typeof value.context === 'string' &&
  'behavior' in value &&
  typeof value.behavior === 'string' &&
  'timeLimit' in value &&
  typeof value.timeLimit === 'number';

/** What never changes of a session, from its record; nothing where it cannot be read or is another session's. */
export const decodeHead = (id: string, text: string): SessionHead | undefined => {
  try {
    const head: Readonly<Record<string, unknown>> = JSON.parse(text.slice(text.indexOf('\n') + 1));
    const { options, createdAt } = head;
    if (head['id'] !== id || !isOptions(options) || typeof createdAt !== 'string') return undefined;
    return { id, options, createdAt };
  } catch {
    return undefined;
  }
};

/** The deadline in the fields of fixed width; nothing where they cannot be read. */
export const readDeadline = (head: string): number | undefined => {
  const [, deadline] = /^2 (\d{16}) [01] \d{16} [IAPT] /.exec(head) ?? [];
  return deadline === undefined ? undefined : Number(deadline);
};
