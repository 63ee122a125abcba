import type { EndedState, StateRecord } from './session-record.js';
import { clockCommands, transitions } from './session-status.js';

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

/** The end of a session whose end is not stored yet, in milliseconds since the epoch. */
export const endTimeOf = (state: StateRecord): number => state.budget?.reachedAt ?? endsAt(state);

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
