import { LATEST } from '../../src/session/clock.js';
import { type EventDetail, isSimpleEvent } from '../../src/session/event-detail.js';
import { isFields } from '../../src/session/fields.js';
import { isLabels } from '../../src/session/labels.js';
import type {
  HistoryEntry,
  SessionLabels,
  SessionOptions,
  SessionOrigin,
} from '../../src/session/session.js';
import type {
  Cancellation,
  EndedState,
  LeaseRecord,
  PendingReport,
  SessionHead,
  SessionTerms,
  StateRecord,
  WorkRecord,
} from '../../src/session/session-record.js';
import { noOptions } from '../../src/session/session-record.js';
import {
  type EndReason,
  isEndReason,
  isSessionStatus,
  type SessionStatus,
} from '../../src/session/session-status.js';
import { plainEntry } from '../../src/store/stored-entry.js';
import { NEVER } from './never.js';

const optionTypes = Object.entries(noOptions).map(([name, value]) => [name, typeof value] as const);

/** Whether a stored value has all options of a session. */
const isSessionOptions = (value: unknown): value is SessionOptions =>
  isFields(value) && optionTypes.every(([name, type]) => typeof value[name] === type);

/*
 * The JSON that stores on databases keep. `JSON.stringify` escapes lone surrogates and NUL
 * (ECMA-262, 25.5.2.3), which texts of SQL databases cannot contain. JSON has no `Infinity`: it is
 * a null deadline or limit, or an absent term.
 */

/** The value of a text. Other values were parsed already, as parts of a larger text. */
export const parseStored = (text: unknown): unknown => {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

type Check = (value: unknown) => boolean;

/** Whether a value has fields that pass their checks. JSON.parse returns nothing but JSON. */
const isShape = <T>(checks: Readonly<Record<keyof T, Check>>): ((value: unknown) => value is T) => {
  const rules = Object.entries<Check>(checks);
  return (value): value is T => {
    if (!isFields(value)) return false;
    for (const [name, isValid] of rules) if (!isValid(value[name])) return false;
    return true;
  };
};

const optional =
  (isValid: Check): Check =>
  (value) =>
    value === undefined || isValid(value);

const listOf =
  (isValid: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(isValid);

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isTimeOrNever: Check = (value) => value === null || isNumber(value);
const isTexts = listOf(isText);
const orInfinity = (value: number | null): number => value ?? Number.POSITIVE_INFINITY;

const finiteOnly = (ms: number): number | undefined =>
  ms === Number.POSITIVE_INFINITY ? undefined : ms;

const encodeTerms = ({
  idleTimeoutMs,
  inactivityTimeoutMs,
  retentionMs,
  graceMs,
}: SessionTerms) => ({
  idleTimeoutMs: finiteOnly(idleTimeoutMs),
  inactivityTimeoutMs: finiteOnly(inactivityTimeoutMs),
  retentionMs: finiteOnly(retentionMs),
  graceMs: graceMs || undefined,
});

/** Terms with those that are not stored. */
const decodeTerms = ({
  idleTimeoutMs = Number.POSITIVE_INFINITY,
  inactivityTimeoutMs = Number.POSITIVE_INFINITY,
  retentionMs = Number.POSITIVE_INFINITY,
  graceMs = 0,
}: Partial<SessionTerms>): SessionTerms => ({
  idleTimeoutMs,
  inactivityTimeoutMs,
  retentionMs,
  graceMs,
});

/** Without `wakeAt`; undefined if there is nothing else. */
const encodeWork = ({ wakeAt: _, ...work }: WorkRecord): Omit<WorkRecord, 'wakeAt'> | undefined =>
  Object.keys(work).length === 0 ? undefined : work;

/** The values of a state that an append changes: stores keep them beside its text. */
export interface StateBeside {
  readonly lastActivityAt: number;
  readonly revision: number;
  /** `NEVER` if the session waits for no worker. */
  readonly wakeAt: number;
}

/** Without the values of `StateBeside`. Also without labels if the store keeps them separately. */
export const encodeState = (state: StateRecord, labels: SessionLabels | undefined): string => {
  const { status, since, startedAt, activeMs, limitMs, deadline, operations } = state;
  const { terms, metadata, work, report } = state;
  const endReason = state.status === 'TERMINATED' ? state.endReason : undefined;
  return JSON.stringify({
    status,
    endReason,
    since,
    startedAt,
    activeMs,
    limitMs,
    deadline,
    operations,
    terms: encodeTerms(terms),
    labels,
    metadata,
    work: encodeWork(work),
    report,
  });
};

/** The fields of `StateRecord` that are stored otherwise. */
type Converted =
  | Exclude<keyof StateBeside, 'wakeAt'>
  | 'status'
  | 'endReason'
  | 'limitMs'
  | 'deadline'
  | 'terms'
  | 'work';

type StoredState = Omit<EndedState, Converted> & {
  readonly status: SessionStatus;
  readonly endReason?: EndReason;
  readonly limitMs: number | null;
  readonly deadline: number | null;
  readonly terms: Partial<SessionTerms>;
  readonly work?: WorkRecord;
};

const isOptionalNumber: Check = (value) => value === undefined || isNumber(value);

const isTerms = (value: unknown): boolean =>
  isFields(value) &&
  isOptionalNumber(value['idleTimeoutMs']) &&
  isOptionalNumber(value['inactivityTimeoutMs']) &&
  isOptionalNumber(value['retentionMs']) &&
  isOptionalNumber(value['graceMs']);

const isLease = isShape<LeaseRecord>({
  holder: isText,
  fencingToken: isNumber,
  takenAt: isNumber,
  until: isNumber,
  releasedAt: isOptionalNumber,
  maxAttempts: isOptionalNumber,
  cancelled: optional(isShape<Cancellation>({ reason: optional(isText) })),
});

const isWork = isShape<WorkRecord>({
  lease: optional(isLease),
  wakeAt: (value) => value === undefined,
  retryAt: isOptionalNumber,
  attempts: isOptionalNumber,
});

const isReport = isShape<PendingReport>({
  removal: isText,
  dueAt: isNumber,
  removedAt: isOptionalNumber,
});

/* Without a shape, because a page has many states. */
const isStoredState = (value: unknown): value is StoredState =>
  isFields(value) &&
  isSessionStatus(value['status']) &&
  (value['endReason'] === undefined || isEndReason(value['endReason'])) &&
  isNumber(value['since']) &&
  isOptionalNumber(value['startedAt']) &&
  isNumber(value['activeMs']) &&
  isTimeOrNever(value['limitMs']) &&
  isTimeOrNever(value['deadline']) &&
  isTexts(value['operations']) &&
  isTerms(value['terms']) &&
  (value['labels'] === undefined || isLabels(value['labels'])) &&
  (value['metadata'] === undefined || isFields(value['metadata'])) &&
  (value['work'] === undefined || isWork(value['work'])) &&
  (value['report'] === undefined || isReport(value['report']));

/** Whether a state has the reason of its end if it has ended. */
const isComplete = (
  state: Omit<EndedState, 'status' | 'endReason'> & Pick<StoredState, 'status' | 'endReason'>,
): state is StateRecord => (state.status === 'TERMINATED') === (state.endReason !== undefined);

/**
 * The state in a text, completed with the separately stored values; `undefined` if it cannot be
 * read.
 */
export const decodeState = (
  text: unknown,
  { lastActivityAt, revision, wakeAt }: StateBeside,
  labelsBeside?: SessionLabels,
): StateRecord | undefined => {
  const stored = parseStored(text);
  if (!isStoredState(stored)) return undefined;
  if (![lastActivityAt, revision, wakeAt].every(Number.isSafeInteger)) return undefined;
  if (wakeAt > LATEST && wakeAt !== NEVER) return undefined;
  const labels = stored.labels ?? labelsBeside;
  if (labels !== undefined && !isLabels(labels)) return undefined;
  // Completes the parsed object, because a copy of it takes longer than all its checks.
  const state = Object.assign(stored, {
    revision,
    lastActivityAt,
    limitMs: orInfinity(stored.limitMs),
    deadline: orInfinity(stored.deadline),
    terms: decodeTerms(stored.terms),
    ...(labels && { labels }),
    work: wakeAt < NEVER ? { ...stored.work, wakeAt } : (stored.work ?? {}),
  });
  return isComplete(state) ? state : undefined;
};

export const encodeHead = ({ id, options, digest, createdAt, origin }: SessionHead): string =>
  JSON.stringify({ id, options, digest, createdAt, origin });

const isHead = isShape<SessionHead>({
  id: isText,
  options: isSessionOptions,
  createdAt: isText,
  digest: optional(isText),
  origin: optional(isShape<SessionOrigin>({ id: isText, position: isNumber })),
});

/**
 * The head of a session in a text; `undefined` if it cannot be read or belongs to another session.
 */
export const decodeHead = (id: string, text: unknown): SessionHead | undefined => {
  const head = parseStored(text);
  return isHead(head) && head.id === id ? head : undefined;
};

export const encodeEntry = (entry: HistoryEntry): string => JSON.stringify(plainEntry(entry));

/* Without a shape, because a history has many entries. */
const isEntry = (value: unknown): value is HistoryEntry =>
  isFields(value) &&
  isText(value['role']) &&
  isText(value['content']) &&
  isText(value['timestamp']) &&
  (value['id'] === undefined || isText(value['id']));

/**
 * The entries in a text with commas between them, or in what was parsed of it; `undefined` if they
 * cannot be read. None if there is no text.
 */
export const decodeEntries = (stored: unknown): readonly HistoryEntry[] | undefined => {
  const entries = Array.isArray(stored) ? stored : parseStored(`[${stored ?? ''}]`);
  return Array.isArray(entries) && entries.every(isEntry) ? entries : undefined;
};

/** The fields of the events that are not simple. */
const details = new Map<unknown, Check>([
  ['leased', isShape({ fencingToken: isNumber })],
  ['released', isShape({ fencingToken: isNumber })],
  ['terminated', isShape({ endReason: isEndReason })],
  ['appended', isShape({ start: isNumber, position: isNumber, after: isOptionalNumber })],
  ['extended', isShape({ limitMs: isNumber, endsAt: isOptionalNumber })],
  ['updated', isShape({ labelsChanged: isTexts })],
  ['redacted', isShape({ positions: listOf(isNumber) })],
]);

const isDetail = (value: unknown): value is EventDetail => {
  if (!isFields(value) || !isNumber(value['at'])) return false;
  const { type } = value;
  return isSimpleEvent(type) || details.get(type)?.(value) === true;
};

/** The details of an event; `undefined` if a later version wrote them. */
export const decodeDetail = (text: unknown): EventDetail | undefined => {
  const detail = parseStored(text);
  return isDetail(detail) ? detail : undefined;
};

/**
 * Bytes of UTF-8. Encodes only texts that are not ASCII, because short ones take longer to encode.
 */
export const bytesOf = (text: string): number =>
  /[^ -~]/.test(text) ? new TextEncoder().encode(text).length : text.length;

/** The length of texts in all: about their size in bytes, at no cost. */
export const lengthOf = (texts: readonly string[]): number =>
  texts.reduce((sum, { length }) => sum + length, 0);
