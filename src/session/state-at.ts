import type { Result } from 'neverthrow';
import type { JsonObject, SessionLabels } from './session.js';
import {
  type BudgetRecord,
  type EndedState,
  REMEMBERED_OPERATIONS,
  type SessionTerms,
  type StateRecord,
  type WorkRecord,
} from './session-record.js';
import {
  acceptsHistory,
  clockCommands,
  type InvalidTransition,
  type StatusCommand,
  transitions,
} from './session-status.js';
import { transition } from './transition.js';

export interface Change {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The caller's id for this change, to recognise a repeated call. */
  readonly operationId?: string | undefined;
}

export interface Beginning {
  /** Maximum milliseconds ACTIVE; `Infinity` for no limit. */
  readonly limitMs: number;
  readonly terms: SessionTerms;
  readonly labels?: SessionLabels | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly budget?: BudgetRecord | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly revision: number;
  /** Whether the session is started immediately, as its second change. Default: false. */
  readonly start?: boolean;
  /** Whether the session waits for a worker from its beginning. Default: false. */
  readonly wake?: boolean;
}

const noOperations: readonly string[] = Object.freeze([]);
const noWork: WorkRecord = Object.freeze({});

/**
 * The state of a new session. Avoids spreads, because they take half as long as the rest of a
 * create.
 */
const idleState = (beginning: Beginning): StateRecord => {
  const { limitMs, terms, labels, metadata, budget, now, revision } = beginning;
  const state = {
    status: 'IDLE' as const,
    revision,
    since: now,
    lastActivityAt: now,
    activeMs: 0,
    limitMs,
    deadline: now + terms.idleTimeoutMs,
    operations: noOperations,
    terms,
    work: noWork,
  };
  if ((labels ?? metadata ?? budget) === undefined) return Object.freeze(state);
  return Object.freeze({
    ...state,
    ...(labels && { labels }),
    ...(metadata && { metadata }),
    ...(budget && { budget }),
  });
};

export const initialState = (beginning: Beginning): StateRecord => {
  const { now, limitMs, start = false, wake = false } = beginning;
  const idle = idleState(beginning);
  if (!start && !wake) return idle;
  const begun = { ...transitions.IDLE.start, startedAt: now, deadline: now + limitMs };
  const work = wake ? Object.freeze({ wakeAt: now }) : noWork;
  return Object.freeze({ ...idle, ...(start && begun), work });
};

/** A command with its input in its name, to recognise a repeated call. */
export interface NamedCommand {
  readonly command: string;
  readonly operationId?: string | undefined;
}

export const remember = (
  { operations }: StateRecord,
  { command, operationId }: NamedCommand,
): readonly string[] => {
  if (operationId === undefined) return operations;
  const all = [`${command}:${operationId}`, ...operations];
  return Object.freeze(all.slice(0, REMEMBERED_OPERATIONS));
};

export const commandOf = ({ operations }: StateRecord, operationId: string): string | undefined => {
  const operation = operations.find((each) => each.slice(each.indexOf(':') + 1) === operationId);
  return operation?.slice(0, operation.indexOf(':'));
};

/** The deadline; 0, which is past for every clock, if a budget has ended the session. */
export const deadlineOf = ({ status, deadline, budget }: StateRecord): number =>
  status !== 'TERMINATED' && budget?.reachedAt !== undefined ? 0 : deadline;

/**
 * When the session expires unless it is used or changed before, in milliseconds since the epoch;
 * `Infinity` for never. 0 if a budget has ended it. After the end is stored: when the
 * session is deleted.
 *
 * @example
 * ```ts
 * const state = unwrap(store.findState({ tenant: 'acme', id })); // its time limit: 600 seconds
 * if (state) console.log(endsAt(state) - state.since); // 600000
 * ```
 */
export const endsAt = (state: StateRecord): number => {
  const { status, lastActivityAt, terms } = state;
  const deadline = deadlineOf(state);
  return status === 'ACTIVE'
    ? Math.min(deadline, lastActivityAt + terms.inactivityTimeoutMs)
    : deadline;
};

/** When a session that has not ended for good ends or has ended. */
const endTimeOf = (state: StateRecord): number => state.budget?.reachedAt ?? endsAt(state);

/**
 * Milliseconds spent ACTIVE up to `now`, at most the limit. A clock that was set back subtracts
 * nothing.
 *
 * @example
 * ```ts
 * const state = unwrap(store.findState({ tenant: 'acme', id })); // its time limit: 600 seconds
 * const inAnHour = Date.now() + 3_600_000;
 * if (state) console.log(activeMsAt(state, inAnHour)); // 600000
 * ```
 */
export const activeMsAt = (state: StateRecord, now: number): number => {
  if (state.status !== 'ACTIVE') return state.activeMs;
  const until = Math.min(now, endTimeOf(state));
  return state.activeMs + Math.max(0, until - state.since);
};

const clockEnds = {
  IDLE: transitions.IDLE[clockCommands.IDLE],
  ACTIVE: transitions.ACTIVE[clockCommands.ACTIVE],
  PAUSED: transitions.PAUSED[clockCommands.PAUSED],
};

const endOf = (
  { status, deadline, budget }: Exclude<StateRecord, EndedState>,
  since: number,
): Pick<EndedState, 'status' | 'endReason'> => {
  if (budget?.reachedAt !== undefined) return transitions[status].use_up;
  return since < deadline ? transitions.ACTIVE.time_out : clockEnds[status];
};

/**
 * The state at `now`. After its deadline a session is TERMINATED as of the deadline, even if no
 * process has stored it.
 *
 * @example
 * ```ts
 * const state = unwrap(store.findState({ tenant: 'acme', id })); // its time limit: 600 seconds
 * const inAnHour = Date.now() + 3_600_000;
 * if (state) console.log(stateAt(state, inAnHour).status); // TERMINATED
 * ```
 */
export const stateAt = (state: StateRecord, now: number): StateRecord => {
  if (state.status === 'TERMINATED' || now < endsAt(state)) return state;
  const { terms } = state;
  const since = endTimeOf(state);
  const end = endOf(state, since);
  // A spend doesn't count as activity, and lists by activity know no other time of its end.
  const isUsedUp = state.budget?.reachedAt !== undefined;
  const lastActivityAt = isUsedUp ? state.lastActivityAt : Math.max(state.lastActivityAt, since);
  const activeMs = activeMsAt(state, since);
  return { ...state, ...end, since, lastActivityAt, activeMs, deadline: since + terms.retentionMs };
};

/** The TERMINATED state to store, if the deadline has passed and the end is not stored yet. */
export const endByClock = (current: StateRecord, now: number): EndedState | undefined => {
  const state = stateAt(current, now);
  if (state === current || state.status !== 'TERMINATED') return undefined;
  return Object.freeze(state);
};

export const usedState = <S extends StateRecord>(state: S, now: number): S =>
  state.lastActivityAt < now ? { ...state, lastActivityAt: now } : state;

/**
 * If the state has ended by inactivity, the last activity of the session, from which that end was
 * computed. An append moves it without a new revision, so the end is stored only if it has not
 * moved since.
 */
export const unusedSinceOf = (
  stored: StateRecord,
  next: StateRecord | undefined,
): number | undefined => {
  const isInactive = next?.status === 'TERMINATED' && next.endReason === 'inactive';
  return isInactive && stored.status !== 'TERMINATED' ? stored.lastActivityAt : undefined;
};

/**
 * When a sweep must process the session, in milliseconds since the epoch: to report its end, to end
 * it or to delete it. `Infinity` for never.
 *
 * @example
 * ```ts
 * const state = unwrap(store.findState({ tenant: 'acme', id }));
 * if (state) console.log(dueAtOf(state) === endsAt(state)); // true
 * ```
 */
export const dueAtOf = (state: StateRecord): number => state.report?.dueAt ?? endsAt(state);

/**
 * The next state by the transition table. A command that changes nothing returns `current` itself.
 */
export const advance = (
  current: StateRecord,
  command: StatusCommand,
  change: Change,
): Result<StateRecord, InvalidTransition> => {
  const { now } = change;
  const state = stateAt(current, now);
  return transition(state.status, command).map((target): StateRecord => {
    if ('unchanged' in target) return state;
    const activeMs = activeMsAt(state, now);
    const { limitMs, terms } = state;
    const isFirstStart = target.status === 'ACTIVE' && state.startedAt === undefined;
    const untilNext = {
      IDLE: terms.idleTimeoutMs,
      ACTIVE: limitMs - activeMs,
      PAUSED: terms.idleTimeoutMs,
      TERMINATED: terms.retentionMs,
    };
    return Object.freeze({
      ...state,
      ...target,
      since: now,
      ...(isFirstStart && { startedAt: now }),
      lastActivityAt: now,
      activeMs,
      deadline: now + untilNext[target.status],
      operations: remember(state, { command, operationId: change.operationId }),
    });
  });
};

/**
 * When the session stops accepting history entries, exclusive, including its grace period, in
 * milliseconds since the epoch; 0 if it accepts none. An IDLE session accepts entries only in the
 * grace period after its end.
 *
 * @example
 * ```ts
 * const state = unwrap(store.findState({ tenant: 'acme', id })); // without a grace period
 * if (state) console.log(acceptsHistoryUntil(state) === endsAt(state)); // true
 * ```
 */
export const acceptsHistoryUntil = (state: StateRecord): number => {
  const { graceMs } = state.terms;
  const isUsedUp = state.budget?.reachedAt !== undefined;
  if (acceptsHistory[state.status] && !isUsedUp) return endsAt(state) + graceMs;
  if (graceMs === 0) return 0;
  return (state.status === 'TERMINATED' ? state.since : endTimeOf(state)) + graceMs;
};

/**
 * Whether the session accepts history entries at `now`.
 *
 * @example
 * ```ts
 * const state = unwrap(store.findState({ tenant: 'acme', id }));
 * if (state) console.log(acceptsHistoryAt(state, Date.now())); // true
 * ```
 */
export const acceptsHistoryAt = (state: StateRecord, now: number): boolean =>
  now < acceptsHistoryUntil(state) && !(state.status === 'IDLE' && now < endsAt(state));
