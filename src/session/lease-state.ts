import { err, ok, type Result } from 'neverthrow';
import { timestampOf } from './clock.js';
import { type Leased, type LeaseLost, leased, leaseLost } from './errors.js';
import type { SessionLease } from './session.js';
import type { LeaseRecord, StateRecord } from './session-record.js';
import { type InvalidTransition, invalidTransition } from './session-status.js';
import { stateAt } from './state-at.js';

const currentLease = ({ lease }: StateRecord, now: number): LeaseRecord | undefined =>
  lease !== undefined && now < lease.until ? lease : undefined;

export const sessionLeaseOf = ({ holder, fencingToken, until }: LeaseRecord): SessionLease => ({
  holder,
  fencingToken,
  until: timestampOf(until),
});

/** The lease on a session that has not ended, at `now`, in milliseconds since the epoch. */
export const leaseAt = (state: StateRecord, now: number): SessionLease | undefined => {
  const lease = currentLease(state, now);
  return lease && sessionLeaseOf(lease);
};

/** Whether the current lease at `now` has this fencing token. */
export const isLeasedWith = (state: StateRecord, fencingToken: number, now: number): boolean =>
  currentLease(state, now)?.fencingToken === fencingToken;

/** A state with a lease, current or not. */
export type LeasedState = StateRecord & { readonly lease: LeaseRecord };

/**
 * Two leases that were given after the same one, such as before and after a failover that has lost the first, have
 * different fencing tokens but for one in this number.
 */
const TOKEN_SPREAD = 2 ** 24;

/** The input of `leaseState`. */
export interface NewLease {
  readonly holder: string;
  readonly durationMs: number;
  /** A random number from 0 up to 1. */
  readonly random: number;
}

/**
 * The next state with a new lease from `now` on. The fencing token is higher even if the same holder already has the
 * session, because two processes may use the same name.
 */
export const leaseState = (
  state: StateRecord,
  { holder, durationMs, random }: NewLease,
  now: number,
): Result<LeasedState, Leased | InvalidTransition> => {
  const { status } = stateAt(state, now);
  if (status === 'TERMINATED') return err(invalidTransition(status, 'lease'));
  const current = currentLease(state, now);
  if (current !== undefined && current.holder !== holder) {
    return err(leased(current.holder, timestampOf(current.until)));
  }
  const last = state.lease?.fencingToken ?? 0;
  const fencingToken = last + 1 + Math.floor(random * TOKEN_SPREAD);
  // Whoever leases a session again under the same name goes on with its claim.
  const isClaim = state.lease?.isClaim === true;
  const lease = { holder, fencingToken, takenAt: now, until: now + durationMs };
  // Frozen, so that a store in memory need not copy it.
  return ok({ ...state, lease: Object.freeze(isClaim ? { ...lease, isClaim } : lease) });
};

/** The next state with a later or earlier end of the current lease, if that has this fencing token. */
export const renewState = (
  state: StateRecord,
  { fencingToken, durationMs }: { readonly fencingToken: number; readonly durationMs: number },
  now: number,
): Result<LeasedState, LeaseLost | InvalidTransition> => {
  const { lease } = state;
  if (lease?.fencingToken !== fencingToken) return err(leaseLost(fencingToken));
  const { status } = stateAt(state, now);
  if (status === 'TERMINATED') return err(invalidTransition(status, 'lease'));
  if (currentLease(state, now) === undefined) return err(leaseLost(fencingToken));
  return ok({ ...state, lease: Object.freeze({ ...lease, until: now + durationMs }) });
};

/**
 * The next state without the lease of this fencing token, or `state` itself if that lease is over and no other one
 * followed. A lease ends with its session. A claim that is not `isDone` makes the session want a worker at once.
 */
export const releaseState = (
  state: StateRecord,
  { fencingToken, isDone }: { readonly fencingToken: number; readonly isDone: boolean },
  now: number,
): Result<StateRecord, LeaseLost> => {
  const { lease } = state;
  if (lease?.fencingToken !== fencingToken) return err(leaseLost(fencingToken));
  if (stateAt(state, now).status === 'TERMINATED') return ok(state);
  const { isClaim = false, ...released } = lease;
  // Work that was done when its lease ran out is done all the same, since nobody else has taken it.
  const isDoneLate = isClaim && isDone;
  if (currentLease(state, now) === undefined && !isDoneLate) return ok(state);
  const wantsWorker = isClaim && !isDone;
  return ok({
    ...state,
    lease: Object.freeze({ ...released, until: 0, releasedAt: now }),
    ...(wantsWorker && { wakeAt: Math.min(now, state.wakeAt ?? now) }),
  });
};
