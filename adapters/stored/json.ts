import { LATEST } from '../../src/session/clock.js';
import { isCounters } from '../../src/session/counters.js';
import { type EventDetail, isSimpleEvent } from '../../src/session/event-detail.js';
import { isFields } from '../../src/session/fields.js';
import { isLabels } from '../../src/session/labels.js';
import type {
  HistoryEntry,
  MessageEntry,
  SessionLabels,
  SessionOptions,
  SessionOrigin,
} from '../../src/session/session.js';
import type {
  AttemptFailure,
  BudgetRecord,
  Cancellation,
  EndedState,
  LeaseRecord,
  PendingReport,
  SessionHead,
  SessionTerms,
  StateRecord,
  TurnRecord,
  WorkRecord,
} from '../../src/session/session-record.js';
import {
  type EndReason,
  isEndReason,
  isSessionStatus,
  type SessionStatus,
} from '../../src/session/session-status.js';
import { plainEntry } from '../../src/store/stored-entry.js';
import { NEVER } from './infinite-times.js';

/*
 * The JSON that stores on databases keep. `JSON.stringify` escapes lone surrogates and NUL
 * (ECMA-262, 25.5.2.3), which SQL databases cannot store. JSON has no `Infinity`: it becomes a null
 * deadline or limit, or an absent term.
 */

/** Other values than strings were parsed already, as parts of larger JSON. */
export const parseStored = (text: unknown): unknown => {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

type Check = (value: unknown) => boolean;

/** Checks only the named fields, because JSON.parse returns nothing but JSON. */
const isShape = <T>(checks: Readonly<Record<keyof T, Check>>): ((value: unknown) => value is T) => {
  const rules = Object.entries<Check>(checks).map(([name, isValid]) => ({ name, isValid }));
  return (value): value is T =>
    isFields(value) && rules.every(({ name, isValid }) => isValid(value[name]));
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
const isTrue: Check = (value) => value === true;
const isTimeOrNever: Check = (value) => value === null || isNumber(value);
const isOptionalNumber = optional(isNumber);
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

/** Without the values of `StateBeside`; undefined if nothing remains. */
const encodeWork = ({
  askedAt: _at,
  inbox: _count,
  ...work
}: WorkRecord): WorkRecord | undefined => (Object.keys(work).length === 0 ? undefined : work);

/** The values that a `UseChange` changes: stores keep them next to the JSON of the state. */
export interface StateBeside {
  readonly lastActivityAt: number;
  readonly revision: number;
  /** `work.askedAt`; `NEVER` if there is none. */
  readonly askedAt: number;
  readonly inbox: number;
}

/** Without the values of `StateBeside`, and without `labels` if a store keeps them separately. */
export const encodeState = (state: StateRecord, labels: SessionLabels | undefined): string => {
  const { status, since, startedAt, activeMs, limitMs, deadline, operations } = state;
  const { terms, metadata, budget, work, report } = state;
  const endReason = state.status === 'TERMINATED' ? state.endReason : undefined;
  return JSON.stringify({
    status,
    // Second, where Redis scripts and PostgreSQL functions expect it and add to its sums.
    budget,
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

/** The fields of `StateRecord` that are stored in another form. */
type Converted =
  | 'lastActivityAt'
  | 'revision'
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

const isTerms = isShape<SessionTerms>({
  idleTimeoutMs: isOptionalNumber,
  inactivityTimeoutMs: isOptionalNumber,
  retentionMs: isOptionalNumber,
  graceMs: isOptionalNumber,
});

const isLease = isShape<LeaseRecord>({
  holder: isText,
  fencingToken: isNumber,
  takenAt: isNumber,
  until: isNumber,
  releasedAt: isOptionalNumber,
  releaseDigest: optional(isText),
  maxAttempts: isOptionalNumber,
  cancelled: optional(
    isShape<Cancellation>({ reason: optional(isText), isReleased: optional(isTrue) }),
  ),
});

const isWork = isShape<WorkRecord>({
  lease: optional(isLease),
  wakeAt: isOptionalNumber,
  retryAt: isOptionalNumber,
  attempts: isOptionalNumber,
  inbox: (value) => value === undefined,
  askedAt: (value) => value === undefined,
  turn: optional(
    isShape<TurnRecord>({
      number: isNumber,
      start: isNumber,
      woken: optional(isTrue),
      messages: isOptionalNumber,
    }),
  ),
  turns: isOptionalNumber,
  failure: optional(
    isShape<AttemptFailure>({ error: optional(isText), at: isNumber, attempt: isNumber }),
  ),
});

const isReport = isShape<PendingReport>({
  removal: isText,
  dueAt: isNumber,
  removedAt: isOptionalNumber,
});

const isBudget = isShape<BudgetRecord>({
  used: isCounters,
  limits: isCounters,
  last: isText,
  reachedAt: isOptionalNumber,
});

const isStoredState = isShape<StoredState>({
  budget: optional(isBudget),
  status: isSessionStatus,
  endReason: optional(isEndReason),
  since: isNumber,
  startedAt: isOptionalNumber,
  activeMs: isNumber,
  limitMs: isTimeOrNever,
  deadline: isTimeOrNever,
  operations: isTexts,
  terms: isTerms,
  labels: optional(isLabels),
  metadata: optional(isFields),
  work: optional(isWork),
  report: optional(isReport),
});

const isComplete = (
  state: Omit<EndedState, 'status' | 'endReason'> & Pick<StoredState, 'status' | 'endReason'>,
): state is StateRecord => (state.status === 'TERMINATED') === (state.endReason !== undefined);

const noWork: WorkRecord = Object.freeze({});

const workOf = (work: WorkRecord = noWork, askedAt: number, inbox: number): WorkRecord => {
  if (askedAt === NEVER && inbox === 0) return work;
  return { ...work, ...(askedAt < NEVER && { askedAt }), ...(inbox > 0 && { inbox }) };
};

/** `undefined` if the state cannot be read. */
export const decodeState = (
  text: unknown,
  { lastActivityAt, revision, askedAt, inbox }: StateBeside,
  labelsBeside?: SessionLabels,
): StateRecord | undefined => {
  const stored = parseStored(text);
  if (!isStoredState(stored)) return undefined;
  if (![lastActivityAt, revision, askedAt, inbox].every(Number.isSafeInteger)) return undefined;
  if (askedAt > LATEST && askedAt !== NEVER) return undefined;
  const labels = stored.labels ?? labelsBeside;
  if (labels !== undefined && !isLabels(labels)) return undefined;
  // Completes the parsed object, because a copy would take longer than all checks.
  const state = Object.assign(stored, {
    revision,
    lastActivityAt,
    limitMs: orInfinity(stored.limitMs),
    deadline: orInfinity(stored.deadline),
    terms: decodeTerms(stored.terms),
    ...(labels && { labels }),
    work: workOf(stored.work, askedAt, inbox),
  });
  return isComplete(state) ? state : undefined;
};

export const encodeHead = ({ id, options, digest, createdAt, origin }: SessionHead): string =>
  JSON.stringify({ id, options, digest, createdAt, origin });

const isSessionOptions = isShape<SessionOptions>({
  face: isText,
  profile: isText,
  context: isText,
  behavior: isText,
  timeLimit: isNumber,
});

const isHead = isShape<SessionHead>({
  id: isText,
  options: isSessionOptions,
  createdAt: isText,
  digest: optional(isText),
  origin: optional(isShape<SessionOrigin>({ id: isText, position: isNumber })),
});

/** `undefined` if the head cannot be read or belongs to another session. */
export const decodeHead = (id: string, text: unknown): SessionHead | undefined => {
  const head = parseStored(text);
  return isHead(head) && head.id === id ? head : undefined;
};

export const encodeEntry = (entry: HistoryEntry): string => JSON.stringify(plainEntry(entry));

const isEntry = isShape<Omit<HistoryEntry, 'data'>>({
  role: isText,
  content: isText,
  timestamp: isText,
  id: optional(isText),
  turn: isOptionalNumber,
  message: optional(isTrue),
});

/**
 * The entries in JSON separated by commas, or in a parsed array. `undefined` if an entry cannot be
 * read.
 */
export const decodeEntries = (stored: unknown): readonly HistoryEntry[] | undefined => {
  const entries = Array.isArray(stored) ? stored : parseStored(`[${stored ?? ''}]`);
  return Array.isArray(entries) && entries.every(isEntry) ? entries : undefined;
};

const isMessage = (entry: HistoryEntry | undefined): entry is MessageEntry =>
  entry?.message === true && entry.id !== undefined;

export const decodeMessage = (stored: unknown): MessageEntry | undefined => {
  const [entry] = decodeEntries(stored) ?? [];
  return isMessage(entry) ? entry : undefined;
};

const details = new Map<unknown, Check>([
  ['leased', isShape({ fencingToken: isNumber })],
  ['released', isShape({ fencingToken: isNumber })],
  ['terminated', isShape({ endReason: isEndReason, usage: optional(isCounters) })],
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

/** `undefined` for the events of a later version. */
export const decodeDetail = (text: unknown): EventDetail | undefined => {
  const detail = parseStored(text);
  return isDetail(detail) ? detail : undefined;
};

/** Bytes of UTF-8. Encoding a short string takes longer than finding that it is ASCII. */
export const bytesOf = (text: string): number =>
  /[^ -~]/.test(text) ? new TextEncoder().encode(text).length : text.length;

/** The size in bytes, approximately and at no cost. */
export const lengthOf = (texts: readonly string[]): number =>
  texts.reduce((sum, { length }) => sum + length, 0);
