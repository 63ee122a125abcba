import { timestampOf } from './clock.js';
import { copyJson } from './json.js';
import { leaseAt } from './lease-state.js';
import { limitMsOf, secondsOf } from './limits.js';
import type { Mutable } from './members.js';
import type {
  Counters,
  JsonObject,
  Session,
  SessionLabels,
  SessionOptions,
  SessionState,
} from './session.js';
import type { SessionSummary } from './session-event.js';
import type { SessionKey } from './session-key.js';
import type { SessionRecord, StateRecord } from './session-record.js';
import type { EndReason } from './session-status.js';
import { activeMsAt, endsAt, stateAt } from './time-limits.js';
import { workAt } from './work-state.js';

const addOptional = (to: Mutable<SessionState>, state: StateRecord): void => {
  if (state.budget !== undefined) to.usage = { ...state.budget.used };
  if (state.startedAt !== undefined) to.startedAt = timestampOf(state.startedAt);
  if (state.status === 'TERMINATED') {
    to.endReason = state.endReason;
    to.endedAt = timestampOf(state.since);
    return;
  }
  const end = endsAt(state);
  if (end < Number.POSITIVE_INFINITY) to.endsAt = timestampOf(end);
};

const beginOf = (id: string, state: StateRecord, now: number) => {
  const durationMs = activeMsAt(state, now);
  const duration = Math.floor(durationMs / 1000);
  return { id, status: state.status, duration, durationMs, revision: state.revision };
};

export const progressAt = (id: string, stored: StateRecord, now: number): SessionState => {
  const state = stateAt(stored, now);
  const progress: Mutable<SessionState> = beginOf(id, state, now);
  addOptional(progress, state);
  return progress;
};

/**
 * The options with the current time limit: `extend` may have changed it since the session was
 * created.
 */
const currentOptions = (options: SessionOptions, { limitMs }: StateRecord): SessionOptions => {
  if (limitMsOf(options.timeLimit) === limitMs) return options;
  return { ...options, timeLimit: secondsOf(limitMs) };
};

const budgetOf = ({ budget }: StateRecord): Counters | undefined =>
  budget && Object.keys(budget.limits).length > 0 ? { ...budget.limits } : undefined;

const noLabels: SessionLabels = Object.freeze({});
const noMetadata: JsonObject = Object.freeze({});

/**
 * The session that a stored record describes at `now`, in milliseconds since the epoch.
 *
 * @example
 * ```ts
 * const record = unwrap(store.find({ tenant: 'acme', id }));
 * if (record) console.log(sessionAt(record, Date.now()).status); // ACTIVE
 * ```
 */
export const sessionAt = (
  {
    head,
    state: stored,
    history,
    historyCount,
  }: Pick<SessionRecord, 'head' | 'state' | 'history' | 'historyCount'>,
  now: number,
): Session => {
  const { id, origin, createdAt } = head;
  const state = stateAt(stored, now);
  const { status, duration, durationMs, revision } = beginOf(id, state, now);
  // Named one by one: on Node 20, each member after a spread takes most of a microsecond, and lists
  // took twice as long.
  const session: Mutable<Session> = {
    id,
    status,
    duration,
    durationMs,
    revision,
    options: currentOptions(head.options, state),
    // These are copied, because a store in memory shares its states with its callers.
    labels: state.labels === undefined ? noLabels : { ...state.labels },
    metadata: state.metadata === undefined ? noMetadata : copyJson(state.metadata),
    history,
    historyCount,
    inbox: state.work.inbox ?? 0,
    createdAt,
    updatedAt: timestampOf(state.lastActivityAt),
  };
  addOptional(session, state);
  const lease = leaseAt(state, now);
  if (lease !== undefined && state.status !== 'TERMINATED') session.lease = lease;
  const work = workAt(state, now);
  if (work !== undefined) session.work = work;
  if (origin !== undefined) session.origin = origin;
  const budget = budgetOf(state);
  if (budget !== undefined) session.budget = budget;
  return session;
};

export const summaryAt = (record: SessionRecord, now: number): SessionSummary => {
  const { history, ...summary } = sessionAt(record, now);
  return summary;
};

/** A session that has ended, with the data that a bill needs. */
export interface EndedSession {
  /** The tenant of the session. */
  readonly tenant: string;
  /** The id of the session. */
  readonly id: string;
  /** Why it ended; `deleted` if it was deleted before any other end. */
  readonly endReason: EndReason | 'deleted';
  /** Seconds spent ACTIVE, rounded down. */
  readonly duration: number;
  /** Milliseconds spent ACTIVE. */
  readonly durationMs: number;
  /** The sums of its counters. Absent for a session without any. */
  readonly usage?: Counters;
  /**
   * The labels when the end is reported: `update` may change them after the end. Empty if the
   * session has none.
   */
  readonly labels: SessionLabels;
  /** When it was started: RFC 3339, UTC, milliseconds. Absent if it never was. */
  readonly startedAt?: string;
  /** When it ended, not when that was noticed: RFC 3339, UTC, milliseconds. */
  readonly endedAt: string;
}

/** The end of a session, from its state or from what is left of it after its removal. */
export const endedSessionOf = ({ tenant, id }: SessionKey, stored: StateRecord): EndedSession => {
  const removedAt = stored.report?.removedAt;
  const state = removedAt === undefined ? stored : stateAt(stored, removedAt);
  const isOver = state.status === 'TERMINATED';
  // Only what is left of a session that was removed has not ended.
  const endedAt = isOver ? state.since : (removedAt ?? state.since);
  const durationMs = activeMsAt(state, endedAt);
  const { startedAt } = state;
  return {
    tenant,
    id,
    endReason: isOver ? state.endReason : 'deleted',
    duration: Math.floor(durationMs / 1000),
    durationMs,
    ...(state.budget && { usage: { ...state.budget.used } }),
    labels: { ...state.labels },
    ...(startedAt !== undefined && { startedAt: timestampOf(startedAt) }),
    endedAt: timestampOf(endedAt),
  };
};
