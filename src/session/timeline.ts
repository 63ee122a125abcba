import type { Result } from 'neverthrow';
import { REMEMBERED_OPERATIONS, type StateRecord } from './session-record.js';
import {
  acceptsHistory,
  clockCommands,
  type InvalidTransition,
  type SessionCommand,
  transition,
  transitions,
} from './session-status.js';

/** The input of a state change. */
export interface Change {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The caller's id for this change, by which a repeated call is recognised. */
  readonly operationId?: string | undefined;
  /** Maximum milliseconds IDLE or PAUSED at a stretch; `Infinity` for no limit. */
  readonly idleTimeoutMs: number;
  /** Milliseconds that an ended session is kept. Default: for ever. */
  readonly retentionMs?: number | undefined;
}

const noOperations: readonly string[] = Object.freeze([]);

/** The state of a new session. */
export const initialState = (limitMs: number, { now, idleTimeoutMs }: Change, revision = 1): StateRecord =>
  Object.freeze({
    status: 'IDLE',
    revision,
    since: now,
    activeMs: 0,
    limitMs,
    deadline: now + idleTimeoutMs,
    operations: noOperations,
  });

const remember = (
  operations: readonly string[],
  command: SessionCommand,
  operationId: string | undefined,
): readonly string[] =>
  operationId === undefined
    ? operations
    : Object.freeze([`${command}:${operationId}`, ...operations].slice(0, REMEMBERED_OPERATIONS));

/** The command that a state remembers for an operation id. */
export const commandOf = ({ operations }: StateRecord, operationId: string): string | undefined => {
  const operation = operations.find((each) => each.slice(each.indexOf(':') + 1) === operationId);
  return operation?.slice(0, operation.indexOf(':'));
};

/** Milliseconds spent ACTIVE up to `now`, at most the limit. A clock that was set back subtracts nothing. */
export const activeMsAt = (state: StateRecord, now: number): number => {
  if (state.status !== 'ACTIVE') return state.activeMs;
  const until = now < state.deadline ? now : state.deadline;
  return until > state.since ? state.activeMs + (until - state.since) : state.activeMs;
};

/** The end that the clock makes, by status. */
const clockEnds = {
  IDLE: transitions.IDLE[clockCommands.IDLE],
  ACTIVE: transitions.ACTIVE[clockCommands.ACTIVE],
  PAUSED: transitions.PAUSED[clockCommands.PAUSED],
};

/** The state at `now`. After its deadline a session is TERMINATED as of the deadline, even if no process has stored it. */
export const stateAt = (state: StateRecord, now: number): StateRecord => {
  const { status, deadline } = state;
  if (status === 'TERMINATED' || now < deadline) return state;
  const activeMs = activeMsAt(state, deadline);
  return { ...state, ...clockEnds[status], since: deadline, activeMs, deadline: Number.POSITIVE_INFINITY };
};

/** Whether the clock ended the session, not a command. */
export const isEndByClock = (state: StateRecord): boolean =>
  state.status === 'TERMINATED' && Object.values(clockEnds).some(({ endReason }) => endReason === state.endReason);

/** The TERMINATED state to store, if the deadline has passed and the end is not stored yet. */
export const endByClock = (current: StateRecord, now: number, retentionMs: number): StateRecord | undefined => {
  const state = stateAt(current, now);
  if (state === current) return undefined;
  return Object.freeze({ ...state, revision: state.revision + 1, deadline: state.since + retentionMs });
};

/** The next state by the transition table. A command that changes nothing returns `current` itself. */
export const advance = (
  current: StateRecord,
  command: SessionCommand,
  change: Change,
): Result<StateRecord, InvalidTransition> => {
  const { now } = change;
  const state = stateAt(current, now);
  return transition(state.status, command).map((target): StateRecord => {
    if ('unchanged' in target) return current;
    const activeMs = activeMsAt(state, now);
    const { limitMs } = state;
    const untilNext = {
      ACTIVE: limitMs - activeMs,
      PAUSED: change.idleTimeoutMs,
      TERMINATED: change.retentionMs ?? Number.POSITIVE_INFINITY,
    };
    return Object.freeze({
      ...target,
      revision: state.revision + 1,
      since: now,
      activeMs,
      limitMs,
      deadline: now + untilNext[target.status],
      operations: remember(state.operations, command, change.operationId),
      ...(state.lease && { lease: state.lease }),
    });
  });
};

/** End of the time in which the session accepts history entries, in milliseconds since the epoch, exclusive; 0 for never. */
export const acceptsHistoryUntil = (state: StateRecord): number => (acceptsHistory[state.status] ? state.deadline : 0);
