import { err, ok, type Result } from 'neverthrow';
import { type LeasedState, leaseState, type NewLease } from './lease-state.js';
import type { StateRecord } from './session-record.js';
import { type InvalidTransition, invalidTransition } from './session-status.js';
import { stateAt } from './state-at.js';
import { wakeAtOf } from './wake-at.js';

/**
 * The next state of a session that wants a worker from `at` on, in milliseconds since the epoch; `current` itself if
 * it wants one by then already.
 */
export const wakeState = (current: StateRecord, at: number, now: number): Result<StateRecord, InvalidTransition> => {
  const { status } = stateAt(current, now);
  if (status === 'TERMINATED') return err(invalidTransition(status, 'wake'));
  if (current.wakeAt !== undefined && current.wakeAt <= at) return ok(current);
  return ok(Object.freeze({ ...current, wakeAt: at }));
};

/** The state after an append at `now` that wakes; `current` itself if the session has ended. */
export const wokenState = (current: StateRecord, revision: number, now: number): StateRecord =>
  wakeState(current, now, now).match(
    (woken) => Object.freeze({ ...woken, revision }),
    () => current,
  );

/** The state without a wake that is due at `now`. A later one stays. */
const withoutWake = (state: StateRecord, now: number): StateRecord => {
  if (state.wakeAt === undefined || state.wakeAt > now) return state;
  const { wakeAt: _, ...rest } = state;
  return rest;
};

/** The next state with a claim; undefined if the session has ended or wants no worker at `now`. */
export const claimState = (state: StateRecord, lease: NewLease, now: number): LeasedState | undefined => {
  if (wakeAtOf(stateAt(state, now)) > now) return undefined;
  const leased = leaseState(withoutWake(state, now), lease, now);
  if (leased.isErr()) return undefined;
  return { ...leased.value, lease: Object.freeze({ ...leased.value.lease, isClaim: true }) };
};
