import { err, ok, type Result } from 'neverthrow';
import {
  afterAttempt,
  type LeasedState,
  leaseAt,
  leaseState,
  type NewLease,
  releasedLease,
} from './lease-state.js';
import type { StateRecord } from './session-record.js';
import { type InvalidTransition, invalidTransition } from './session-status.js';
import { stateAt } from './state-at.js';
import { notExhausted, wakeAtOf } from './work-state.js';

/**
 * The next state of a session that wants a worker from `at` on, in milliseconds since the epoch;
 * `current` itself if it wants one by then already.
 */
export const wakeState = (
  current: StateRecord,
  at: number,
  now: number,
): Result<StateRecord, InvalidTransition> => {
  const { status } = stateAt(current, now);
  if (status === 'TERMINATED') return err(invalidTransition(status, 'wake'));
  if (current.wakeAt !== undefined && current.wakeAt <= at) return ok(current);
  return ok(Object.freeze({ ...current, wakeAt: at }));
};

/**
 * The state after an append at `now` that wakes; `current` itself if the session has ended.
 *
 * @example
 * ```ts
 * const state = unwrap(store.findState({ tenant: 'acme', id }));
 * const wake = { revision: 4711 }; // that of the append
 * if (state) console.log(wokenState(state, wake.revision, Date.now()).revision); // 4711
 * ```
 */
export const wokenState = (current: StateRecord, revision: number, now: number): StateRecord =>
  wakeState(current, now, now).match(
    (woken) => Object.freeze({ ...woken, revision }),
    () => current,
  );

/** The state without the wake and the retry that a claim takes up. A later wake stays. */
const takenUp = ({ wakeAt, retryAt: _, ...rest }: StateRecord, now: number): StateRecord =>
  wakeAt === undefined || wakeAt <= now ? rest : { ...rest, wakeAt };

/** The input of `claimState`. */
export interface NewClaim extends NewLease {
  /** Maximum number of claims until the work is done. */
  readonly maxAttempts: number;
}

/** What a claim makes of a session whose time has come. */
export type Claimed =
  | { readonly outcome: 'claimed'; readonly state: LeasedState; readonly attempt: number }
  /** Its worker has crashed in the last attempt: it waits for a later wake, or for none. */
  | { readonly outcome: 'exhausted'; readonly state: StateRecord };

/** The state after a claim whose lease has run out; `state` itself if there was none. */
const afterCrash = (state: StateRecord, now: number): StateRecord => {
  const { lease } = state;
  if (lease?.maxAttempts === undefined || lease.releasedAt !== undefined) return state;
  return afterAttempt({ ...state, lease: releasedLease(lease, now) }, lease.maxAttempts, now);
};

/** What a claim makes of a session; undefined if it has ended or wants no worker at `now`. */
export const claimState = (
  state: StateRecord,
  { maxAttempts, ...lease }: NewClaim,
  now: number,
): Claimed | undefined => {
  if (wakeAtOf(stateAt(state, now)) > now) return undefined;
  const waiting = afterCrash(state, now);
  const { attempts = 0 } = waiting;
  if (wakeAtOf(waiting) > now) return { outcome: 'exhausted', state: waiting };
  const leased = leaseState(notExhausted(takenUp(waiting, now)), lease, now);
  if (leased.isErr()) return undefined;
  const attempt = attempts + 1;
  const claim = Object.freeze({ ...leased.value.lease, maxAttempts });
  return {
    outcome: 'claimed',
    state: { ...leased.value, attempts: attempt, lease: claim },
    attempt,
  };
};

/**
 * The next state of a session whose work is cancelled: nobody has a lease on it, and it wants no
 * worker. `current` itself if that is so already.
 */
export const cancelState = (
  current: StateRecord,
  { reason }: { readonly reason: string | undefined },
  now: number,
): Result<StateRecord, InvalidTransition> => {
  const { status } = stateAt(current, now);
  if (status === 'TERMINATED') return err(invalidTransition(status, 'cancel'));
  const { wakeAt, retryAt, attempts, lease, ...rest } = current;
  const isHeld =
    lease?.releasedAt === undefined && (leaseAt(current, now) ?? lease?.maxAttempts) !== undefined;
  if (!isHeld && wakeAt === undefined && retryAt === undefined) return ok(current);
  if (lease === undefined) return ok(Object.freeze(rest));
  if (!isHeld) return ok(Object.freeze({ ...rest, lease }));
  const cancelled = { ...(reason !== undefined && { reason }) };
  return ok(
    Object.freeze({ ...rest, lease: Object.freeze({ ...releasedLease(lease, now), cancelled }) }),
  );
};
