import { isFields } from '../../src/input/parse-fields.js';
import { isLabels } from '../../src/input/parse-labels.js';
import { createRules } from '../../src/input/rule.js';
import { LATEST } from '../../src/session/clock.js';
import { type EventDetail, isSimpleEvent } from '../../src/session/event-detail.js';
import type {
  HistoryEntry,
  JsonObject,
  SessionLabels,
  SessionOptions,
  SessionOrigin,
} from '../../src/session/session.js';
import type {
  LeaseRecord,
  PendingReport,
  SessionHead,
  SessionTerms,
  StateRecord,
} from '../../src/session/session-record.js';
import { isEndReason, isSessionStatus } from '../../src/session/session-status.js';
import { NEVER } from './never.js';

const optionTypes = Object.entries(createRules).map(
  ([name, { absent }]) => [name, typeof absent] as const,
);

/** Whether a stored value has all options of a session. */
const isSessionOptions = (value: unknown): value is SessionOptions =>
  isFields(value) && optionTypes.every(([name, type]) => typeof value[name] === type);

/*
 * The JSON that stores on databases keep. `JSON.stringify` escapes lone surrogates and NUL
 * (ECMA-262, 25.5.2.3), which texts of SQL databases cannot contain. JSON has no `Infinity`: it is
 * a null deadline or limit, or an absent term.
 */

const parse = (text: unknown): unknown => {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isTimeOrNever = (value: unknown): value is number | null => value === null || isNumber(value);
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

const decodeTerms = (stored: unknown): SessionTerms | undefined => {
  if (!isFields(stored)) return undefined;
  const never = Number.POSITIVE_INFINITY;
  const { idleTimeoutMs = never, inactivityTimeoutMs = never } = stored;
  const { retentionMs = never, graceMs = 0 } = stored;
  if (!isNumber(idleTimeoutMs) || !isNumber(inactivityTimeoutMs)) return undefined;
  if (!isNumber(retentionMs) || !isNumber(graceMs)) return undefined;
  return { idleTimeoutMs, inactivityTimeoutMs, retentionMs, graceMs };
};

/** Only the fields that are stored. `JSON.stringify` leaves out those that are undefined. */
const encodeLease = ({
  holder,
  fencingToken,
  takenAt,
  until,
  releasedAt,
  maxAttempts,
  cancelled,
}: LeaseRecord) => ({
  holder,
  fencingToken,
  takenAt,
  until,
  releasedAt,
  maxAttempts,
  cancelled: cancelled && { reason: cancelled.reason },
});

const encodeReport = ({ dueAt, removedAt }: PendingReport) => ({ dueAt, removedAt });

/** The values of a state that an append changes: stores keep them beside its text. */
export interface StateBeside {
  readonly lastActivityAt: number;
  readonly revision: number;
  /** `NEVER` if the session wants no worker. */
  readonly wakeAt: number;
}

/** Without the values of `StateBeside`. Also without labels if the store keeps them separately. */
export const encodeState = (state: StateRecord, labels: SessionLabels | undefined): string => {
  const { status, since, startedAt, activeMs, limitMs, deadline, operations } = state;
  const { terms, metadata, lease, retryAt, attempts, report } = state;
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
    lease: lease && encodeLease(lease),
    retryAt,
    attempts,
    report: report && encodeReport(report),
  });
};

const isNumberOrAbsent = (value: unknown): value is number | undefined =>
  value === undefined || isNumber(value);

const isCancellation = (value: unknown): boolean =>
  value === undefined ||
  (isFields(value) && (value['reason'] === undefined || isText(value['reason'])));

const isLease = (value: unknown): value is LeaseRecord =>
  isFields(value) &&
  isText(value['holder']) &&
  isNumber(value['fencingToken']) &&
  isNumber(value['takenAt']) &&
  isNumber(value['until']) &&
  isNumberOrAbsent(value['releasedAt']) &&
  isNumberOrAbsent(value['maxAttempts']) &&
  isCancellation(value['cancelled']);

const isReport = (value: unknown): value is PendingReport =>
  isFields(value) && isNumber(value['dueAt']) && isNumberOrAbsent(value['removedAt']);

/** What JSON.parse returns contains nothing but JSON. */
const isMetadata = (value: unknown): value is JsonObject =>
  isFields(value) && !Array.isArray(value);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText);

/**
 * The state in a text, completed with the separately stored values; `undefined` if it cannot be
 * read.
 */
export const decodeState = (
  text: unknown,
  { lastActivityAt, revision, wakeAt }: StateBeside,
  labelsBeside?: SessionLabels,
): StateRecord | undefined => {
  const stored = parse(text);
  if (!isFields(stored) || ![lastActivityAt, revision, wakeAt].every(Number.isSafeInteger))
    return undefined;
  if (wakeAt > LATEST && wakeAt !== NEVER) return undefined;
  const { status, endReason, since, startedAt, activeMs, limitMs, deadline, operations, lease } =
    stored;
  const { metadata, retryAt, attempts, report } = stored;
  const labels = stored['labels'] ?? labelsBeside;
  const terms = decodeTerms(stored['terms']);
  if (!isSessionStatus(status) || !isNumber(since) || !isNumber(activeMs)) return undefined;
  if (
    !isTimeOrNever(limitMs) ||
    !isTimeOrNever(deadline) ||
    !isTexts(operations) ||
    terms === undefined
  )
    return undefined;
  if (lease !== undefined && !isLease(lease)) return undefined;
  if (report !== undefined && !isReport(report)) return undefined;
  if (labels !== undefined && !isLabels(labels)) return undefined;
  if (metadata !== undefined && !isMetadata(metadata)) return undefined;
  if (!isNumberOrAbsent(retryAt) || !isNumberOrAbsent(attempts)) return undefined;
  if (!isNumberOrAbsent(startedAt)) return undefined;
  const phase = {
    revision,
    since,
    ...(startedAt !== undefined && { startedAt }),
    lastActivityAt,
    activeMs,
    limitMs: orInfinity(limitMs),
    deadline: orInfinity(deadline),
    operations,
    terms,
    ...(labels && { labels }),
    ...(metadata && { metadata }),
    ...(lease && { lease }),
    ...(wakeAt < NEVER && { wakeAt }),
    ...(retryAt !== undefined && { retryAt }),
    ...(attempts !== undefined && { attempts }),
    ...(report && { report }),
  };
  if (status !== 'TERMINATED') return { status, ...phase };
  if (isEndReason(endReason)) return { status, ...phase, endReason };
  return undefined;
};

export const encodeHead = ({ id, options, digest, createdAt, origin }: SessionHead): string =>
  JSON.stringify({ id, options, digest, createdAt, origin });

const isOrigin = (value: unknown): value is SessionOrigin =>
  isFields(value) && isText(value['id']) && isNumber(value['position']);

const isHead = (value: unknown): value is SessionHead =>
  isFields(value) &&
  isText(value['id']) &&
  isSessionOptions(value['options']) &&
  isText(value['createdAt']) &&
  (value['digest'] === undefined || isText(value['digest'])) &&
  (value['origin'] === undefined || isOrigin(value['origin']));

/**
 * The head of a session in a text; `undefined` if it cannot be read or belongs to another session.
 */
export const decodeHead = (id: string, text: unknown): SessionHead | undefined => {
  const head = parse(text);
  return isHead(head) && head.id === id ? head : undefined;
};

/** An entry with the fields of a `HistoryEntry` alone. */
export const plainEntry = ({ role, content, timestamp, id, data }: HistoryEntry): HistoryEntry => {
  const entry = { role, content, timestamp };
  if (id === undefined && data === undefined) return entry;
  return { ...entry, ...(id !== undefined && { id }), ...(data !== undefined && { data }) };
};

/** An entry after its redaction. */
export const redactedEntry = ({ role, timestamp }: HistoryEntry): HistoryEntry => ({
  role,
  content: '',
  timestamp,
});

/** Whether an entry has nothing to redact. */
export const isRedacted = ({ content, id, data }: HistoryEntry): boolean =>
  content === '' && id === undefined && data === undefined;

export const encodeEntry = (entry: HistoryEntry): string => JSON.stringify(plainEntry(entry));

const isEntry = (value: unknown): value is HistoryEntry =>
  isFields(value) &&
  isText(value['role']) &&
  isText(value['content']) &&
  isText(value['timestamp']) &&
  (value['id'] === undefined || isText(value['id']));

/**
 * The entries in a text with commas between them; `undefined` if they cannot be read. None if there
 * is no text.
 */
export const decodeEntries = (text: unknown): readonly HistoryEntry[] | undefined => {
  const entries = parse(`[${text ?? ''}]`);
  if (!Array.isArray(entries) || !entries.every(isEntry)) return undefined;
  return entries.map(plainEntry);
};

const isNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every(isNumber);

/** The details of an event; `undefined` if a later version wrote them. */
export const decodeDetail = (text: unknown): EventDetail | undefined => {
  const detail = parse(text);
  if (!isFields(detail)) return undefined;
  const {
    type,
    at,
    endReason,
    start,
    position,
    after,
    holder,
    limitMs,
    endsAt,
    labels,
    positions,
  } = detail;
  const { metadataChanged } = detail;
  if (!isNumber(at)) return undefined;
  if (isSimpleEvent(type)) return { type, at };
  if ((type === 'leased' || type === 'released') && isText(holder)) return { type, at, holder };
  if (type === 'appended' && isNumber(start) && isNumber(position)) {
    return { type, at, start, position, ...(isNumber(after) && { after }) };
  }
  if (type === 'extended' && isNumber(limitMs))
    return { type, at, limitMs, ...(isNumber(endsAt) && { endsAt }) };
  if (type === 'updated' && isLabels(labels)) {
    return { type, at, labels, ...(metadataChanged === true && { metadataChanged }) };
  }
  if (type === 'redacted' && isNumbers(positions)) return { type, at, positions };
  if (type === 'terminated' && isEndReason(endReason)) return { type, at, endReason };
  return undefined;
};

/** Bytes of UTF-8. Encodes only texts that are not ASCII, because short ones take longer to encode. */
export const bytesOf = (text: string): number =>
  /[^ -~]/.test(text) ? new TextEncoder().encode(text).length : text.length;

/** The length of texts in all: about their size in bytes, at no cost. */
export const lengthOf = (texts: readonly string[]): number =>
  texts.reduce((sum, { length }) => sum + length, 0);
