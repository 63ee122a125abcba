import { err, ok, type Result } from 'neverthrow';
import { timestampOf } from './clock.js';
import { cancelled, type Leased, type LeaseEnded, leased, leaseLost } from './errors.js';
import type { SessionLease } from './session.js';
import type { LeaseRecord, StateRecord, WorkRecord } from './session-record.js';
import { type InvalidTransition, invalidTransition } from './session-status.js';
import { stateAt } from './state-at.js';
import { exhausted, notExhausted, retryDelayMs, TOKEN_SPREAD, wakeAtOf } from './work-state.js';

const currentLease = ({ work: { lease } }: StateRecord, now: number): LeaseRecord | undefined =>
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

/**
 * Whether the current lease at `now` has this fencing token.
 *
 * @example
 * ```ts
 * const { fencingToken } = await sessions.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
 * const state = unwrap(store.findState({ tenant: 'acme', id }));
 * if (state) console.log(isLeasedWith(state, fencingToken, Date.now())); // true
 * ```
 */
export const isLeasedWith = (state: StateRecord, fencingToken: number, now: number): boolean =>
  currentLease(state, now)?.fencingToken === fencingToken;

/** Why the current lease is not the one with this fencing token. */
export const leaseEndedIn = ({ work }: StateRecord, fencingToken: number): LeaseEnded => {
  const { lease } = work;
  if (lease?.cancelled === undefined || lease.fencingToken !== fencingToken)
    return leaseLost(fencingToken);
  return cancelled(fencingToken, lease.cancelled.reason);
};

/** A state with a lease, current or not. */
export type LeasedState = StateRecord & {
  readonly work: WorkRecord & { readonly lease: LeaseRecord };
};

/** The state with changes of its work. Frozen, so that a store in memory need not copy it. */
const withWork = <W extends WorkRecord>(state: StateRecord, changes: W) => ({
  ...state,
  work: Object.freeze({ ...state.work, ...changes }),
});

/** When a lease of so many seconds ends. */
const endOf = (seconds: number, now: number): number => now + Math.round(seconds * 1000);

/** The input of `leaseState`. */
export interface NewLease {
  readonly holder: string;
  readonly seconds: number;
  /** A random number from 0 up to 1. */
  readonly random: number;
}

/**
 * The next state with a new lease from `now` on. The fencing token is higher even if the same
 * holder already has the session, because two processes may use the same name.
 */
export const leaseState = (
  state: StateRecord,
  { holder, seconds, random }: NewLease,
  now: number,
): Result<LeasedState, Leased | InvalidTransition> => {
  const { status } = stateAt(state, now);
  if (status === 'TERMINATED') return err(invalidTransition(status, 'lease'));
  const current = currentLease(state, now);
  if (current !== undefined && current.holder !== holder) {
    return err(leased(current.holder, timestampOf(current.until)));
  }
  const last = state.work.lease?.fencingToken ?? 0;
  const fencingToken = last + 1 + Math.floor(random * TOKEN_SPREAD);
  // Whoever leases a session again under the same name goes on with its claim.
  const maxAttempts = state.work.lease?.maxAttempts;
  const lease = {
    holder,
    fencingToken,
    takenAt: now,
    until: endOf(seconds, now),
    ...(maxAttempts !== undefined && { maxAttempts }),
  };
  return ok(withWork(state, { lease: Object.freeze(lease) }));
};

/**
 * The next state with a later or earlier end of the current lease, if that has this fencing token.
 */
export const renewState = (
  state: StateRecord,
  { fencingToken, seconds }: { readonly fencingToken: number; readonly seconds: number },
  now: number,
): Result<LeasedState, LeaseEnded | InvalidTransition> => {
  const { lease } = state.work;
  if (lease?.fencingToken !== fencingToken) return err(leaseLost(fencingToken));
  const { status } = stateAt(state, now);
  if (status === 'TERMINATED') return err(invalidTransition(status, 'lease'));
  if (currentLease(state, now) === undefined) return err(leaseEndedIn(state, fencingToken));
  const renewed = Object.freeze({ ...lease, until: endOf(seconds, now) });
  return ok(withWork(state, { lease: renewed }));
};

/** The lease after its release. It is no claim any more. */
const releasedLease = ({ maxAttempts: _, ...lease }: LeaseRecord, now: number): LeaseRecord =>
  Object.freeze({ ...lease, until: 0, releasedAt: now });

/** The state after work that is done, or has had its last attempt. */
const withoutAttempts = (state: StateRecord): StateRecord => {
  const { attempts: _, ...work } = state.work;
  return { ...state, work: Object.freeze(work) };
};

/**
 * The state after an attempt that is not done: it waits for the next one, or has had its last one.
 */
const afterAttempt = (
  state: StateRecord,
  maxAttempts: number,
  { now, delayMs }: { readonly now: number; readonly delayMs: number },
): StateRecord => {
  const { attempts = 1, wakeAt = Number.POSITIVE_INFINITY } = state.work;
  if (attempts < maxAttempts) return withWork(state, { retryAt: now + delayMs });
  // A wake since the claim is new work, with attempts of its own. One for later stays, and does
  // not hide that this work has failed.
  if (wakeAt <= now) return withoutAttempts(state);
  return exhausted(withoutAttempts(state));
};

/** The input of `releaseState`. */
export interface ReleasedLease {
  readonly fencingToken: number;
  readonly done: boolean;
  /** A random number from 0 up to 1. */
  readonly random: number;
}

/**
 * The next state without the lease of this fencing token, or `state` itself if that lease is over
 * and no other one followed. A lease ends with its session. A claim that is not `isDone` is an
 * attempt that has failed.
 */
export const releaseState = (
  state: StateRecord,
  { fencingToken, done, random }: ReleasedLease,
  now: number,
): Result<StateRecord, LeaseEnded> => {
  const { lease } = state.work;
  if (lease?.fencingToken !== fencingToken) return err(leaseLost(fencingToken));
  if (lease.cancelled !== undefined) return err(leaseEndedIn(state, fencingToken));
  if (stateAt(state, now).status === 'TERMINATED') return ok(state);
  const { maxAttempts } = lease;
  const isClaim = maxAttempts !== undefined;
  // Work that was done when its lease ran out is done all the same, since nobody else has taken it.
  const isDoneLate = isClaim && done;
  if (currentLease(state, now) === undefined && !isDoneLate) return ok(state);
  const released = withWork(state, { lease: releasedLease(lease, now) });
  if (!isClaim) return ok(released);
  if (done) return ok(withoutAttempts(released));
  const { attempts = 1 } = state.work;
  const delayMs = retryDelayMs(attempts, random);
  return ok(afterAttempt(released, maxAttempts, { now, delayMs }));
};

/**
 * The next state of a session that waits for a worker from `at` on, in milliseconds since the
 * epoch; `current` itself if it waits for one by then already.
 */
export const wakeState = (
  current: StateRecord,
  at: number,
  now: number,
): Result<StateRecord, InvalidTransition> => {
  const { status } = stateAt(current, now);
  if (status === 'TERMINATED') return err(invalidTransition(status, 'wake'));
  const { wakeAt } = current.work;
  if (wakeAt !== undefined && wakeAt <= at) return ok(current);
  return ok(Object.freeze(withWork(current, { wakeAt: at })));
};

/** The state without the wake and the retry that a claim takes up. A later wake stays. */
const takenUp = (state: StateRecord, now: number): StateRecord => {
  const { wakeAt, retryAt: _, ...work } = state.work;
  const isLater = wakeAt !== undefined && wakeAt > now;
  return { ...state, work: { ...work, ...(isLater && { wakeAt }) } };
};

/** The input of `claimState`. */
export interface NewClaim extends NewLease {
  /** Maximum number of claims until the work is done. */
  readonly attempts: number;
}

/** What a claim makes of a session whose time has come. */
export type Claimed =
  | { readonly outcome: 'claimed'; readonly state: LeasedState; readonly attempt: number }
  /** Its worker has crashed in the last attempt: it waits for a later wake, or for none. */
  | { readonly outcome: 'exhausted'; readonly state: StateRecord };

/** The state after a claim whose lease has run out; `state` itself if there was none. */
const afterCrash = (state: StateRecord, now: number): StateRecord => {
  const { lease } = state.work;
  if (lease?.maxAttempts === undefined || lease.releasedAt !== undefined) return state;
  const released = withWork(state, { lease: releasedLease(lease, now) });
  return afterAttempt(released, lease.maxAttempts, { now, delayMs: 0 });
};

/** What a claim makes of a session; undefined if it has ended or waits for no worker at `now`. */
export const claimState = (
  state: StateRecord,
  { attempts: maxAttempts, ...lease }: NewClaim,
  now: number,
): Claimed | undefined => {
  if (wakeAtOf(stateAt(state, now)) > now) return undefined;
  const waiting = afterCrash(state, now);
  const { attempts = 0 } = waiting.work;
  if (wakeAtOf(waiting) > now) return { outcome: 'exhausted', state: waiting };
  const leased = leaseState(notExhausted(takenUp(waiting, now)), lease, now);
  if (leased.isErr()) return undefined;
  const attempt = attempts + 1;
  const claim = Object.freeze({ ...leased.value.work.lease, maxAttempts });
  const held = withWork(leased.value, { attempts: attempt, lease: claim });
  return { outcome: 'claimed', state: held, attempt };
};

/**
 * The next state of a session whose work is cancelled: nobody has a lease on it, and it waits for
 * no worker. `current` itself if that is so already.
 */
export const cancelState = (
  current: StateRecord,
  { reason }: { readonly reason: string | undefined },
  now: number,
): Result<StateRecord, InvalidTransition> => {
  const { status } = stateAt(current, now);
  if (status === 'TERMINATED') return err(invalidTransition(status, 'cancel'));
  const { wakeAt, retryAt, lease } = current.work;
  const isHeld =
    lease !== undefined &&
    lease.releasedAt === undefined &&
    (now < lease.until || lease.maxAttempts !== undefined);
  if (!isHeld && wakeAt === undefined && retryAt === undefined) return ok(current);
  const cancelled = { ...(reason !== undefined && { reason }) };
  const ended = isHeld ? Object.freeze({ ...releasedLease(lease, now), cancelled }) : lease;
  const work = Object.freeze({ ...(ended && { lease: ended }) });
  return ok(Object.freeze({ ...current, work }));
};
