import { err, ok, type Result } from 'neverthrow';
import { timestampOf } from './clock.js';
import { cancelled, type Leased, type LeaseEnded, leased, leaseLost } from './errors.js';
import type { SessionLease } from './session.js';
import type { LeaseRecord, StateRecord, WorkRecord } from './session-record.js';
import { type InvalidTransition, invalidTransition } from './session-status.js';
import { stateAt } from './time-limits.js';
import { exhausted, retryDelayMs, TOKEN_SPREAD } from './work-state.js';

/** The lease that keeps others from the session at `now`, cancelled or not. */
export const heldLease = (
  { work: { lease } }: StateRecord,
  now: number,
): LeaseRecord | undefined => (lease !== undefined && now < lease.until ? lease : undefined);

const currentLease = (state: StateRecord, now: number): LeaseRecord | undefined => {
  const lease = heldLease(state, now);
  return lease?.cancelled === undefined ? lease : undefined;
};

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
 * The token that a write under the latest lease must carry; 0 for none, and after a cancel. Stores
 * keep it for statements and scripts, which read no state.
 */
export const fencingTokenOf = ({ work: { lease } }: StateRecord): number =>
  lease === undefined || lease.cancelled !== undefined ? 0 : lease.fencingToken;

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

export const leaseEndedIn = ({ work }: StateRecord, fencingToken: number): LeaseEnded => {
  const { lease } = work;
  if (lease?.cancelled === undefined || lease.fencingToken !== fencingToken)
    return leaseLost(fencingToken);
  return cancelled(fencingToken, lease.cancelled.reason);
};

export type LeasedState = StateRecord & {
  readonly work: WorkRecord & { readonly lease: LeaseRecord };
};

/** The state with changes of its work. Frozen, so that a store in memory need not copy it. */
export const withWork = <W extends WorkRecord>(state: StateRecord, changes: W) => ({
  ...state,
  work: Object.freeze({ ...state.work, ...changes }),
});

const endOf = (seconds: number, now: number): number => now + Math.round(seconds * 1000);

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
  const current = heldLease(state, now);
  if (current !== undefined && (current.cancelled !== undefined || current.holder !== holder)) {
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

export const renewState = (
  state: StateRecord,
  { fencingToken, seconds }: { readonly fencingToken: number; readonly seconds: number },
  now: number,
): Result<LeasedState, LeaseEnded | InvalidTransition> => {
  const { lease } = state.work;
  if (lease?.fencingToken !== fencingToken) return err(leaseLost(fencingToken));
  if (lease.cancelled !== undefined) return err(leaseEndedIn(state, fencingToken));
  const { status } = stateAt(state, now);
  if (status === 'TERMINATED') return err(invalidTransition(status, 'lease'));
  if (currentLease(state, now) === undefined) return err(leaseEndedIn(state, fencingToken));
  const renewed = Object.freeze({ ...lease, until: endOf(seconds, now) });
  return ok(withWork(state, { lease: renewed }));
};

/** The lease after its release. It is no longer a claim. */
export const releasedLease = (
  { maxAttempts: _, ...lease }: LeaseRecord,
  now: number,
): LeaseRecord => Object.freeze({ ...lease, until: 0, releasedAt: now });

/** The lease after its holder has released it, perhaps with the last words of a cancelled turn. */
const releasedByHolder = (lease: LeaseRecord, now: number): LeaseRecord => {
  const { cancelled } = lease;
  if (cancelled === undefined) return releasedLease(lease, now);
  const told = Object.freeze({ ...cancelled, isReleased: true as const });
  return releasedLease({ ...lease, cancelled: told }, now);
};

/**
 * The state after a release that has stored something: its lease is released, even if it had run
 * out before, so that a repetition is recognised.
 */
export const withReleaseDigest = (state: StateRecord, digest: string, now: number): StateRecord => {
  const { lease } = state.work;
  if (lease === undefined) return state;
  const released = lease.releasedAt === undefined ? releasedByHolder(lease, now) : lease;
  return withWork(state, { lease: Object.freeze({ ...released, releaseDigest: digest }) });
};

/** The turn stays, and takes as many messages again: one that always fails doesn't hold up others. */
const withoutAttempts = (state: StateRecord): StateRecord => {
  const { attempts: _, turn, ...work } = state.work;
  if (turn === undefined) return { ...state, work: Object.freeze(work) };
  const { messages: _taken, ...begun } = turn;
  return withWork({ ...state, work }, { turn: Object.freeze(begun) });
};

/** The state after a turn, whose messages are answered. Others may wait. */
export const withoutTurn = (state: StateRecord, now: number): StateRecord => {
  const { attempts: _a, turn: _t, failure: _f, retryAt: _r, ...work } = state.work;
  const { inbox = 0, askedAt = now } = work;
  return { ...state, work: Object.freeze({ ...work, ...(inbox > 0 && { askedAt }) }) };
};

interface FailedAttempt {
  readonly now: number;
  readonly delayMs: number;
  /** Why, at most 500 characters. */
  readonly error?: string | undefined;
}

/**
 * The state after an attempt that is not done: it waits for the next one, or has had its last one.
 */
export const afterAttempt = (
  { work: { failure: _f, ...before }, ...rest }: StateRecord,
  maxAttempts: number,
  { now, delayMs, error }: FailedAttempt,
): StateRecord => {
  const { attempts = 1, wakeAt = Number.POSITIVE_INFINITY, askedAt } = before;
  const failure = Object.freeze({
    ...(error !== undefined && { error }),
    at: now,
    attempt: attempts,
  });
  const state = { ...rest, work: { ...before, failure } };
  if (attempts < maxAttempts) {
    const { askedAt: _, ...work } = state.work;
    return withWork({ ...state, work }, { retryAt: now + delayMs });
  }
  // A wake or a message since the claim is new work, with attempts of its own. A wake for later
  // stays, and does not hide that this work has failed.
  if (wakeAt <= now || askedAt !== undefined) return withoutAttempts(state);
  return exhausted(withoutAttempts(state));
};

export interface ReleasedLease {
  readonly fencingToken: number;
  readonly done: boolean;
  /** Of an attempt that is not done: why, at most 500 characters. */
  readonly error?: string | undefined;
  readonly random: number;
}

/**
 * The next state without the lease of this fencing token, or `state` itself if that lease is over
 * and no other one followed. A lease ends with its session. A claim that is not `done` is an
 * attempt that has failed. A cancelled claim ends as done, as long as nobody else may have the
 * session.
 */
export const releaseState = (
  state: StateRecord,
  { fencingToken, done, error, random }: ReleasedLease,
  now: number,
): Result<StateRecord, LeaseEnded> => {
  const { lease } = state.work;
  if (lease?.fencingToken !== fencingToken) return err(leaseLost(fencingToken));
  const isHeld = heldLease(state, now) !== undefined;
  const { cancelled: ended } = lease;
  if (lease.releasedAt !== undefined && (ended?.isReleased ?? ended === undefined))
    return ok(state);
  if (ended !== undefined && !isHeld) return err(leaseEndedIn(state, fencingToken));
  if (stateAt(state, now).status === 'TERMINATED') return ok(state);
  const { maxAttempts } = lease;
  const isClaim = maxAttempts !== undefined;
  // Work that was done when its lease ran out is done all the same, since nobody else has taken it.
  const isDoneLate = isClaim && done;
  if (!isHeld && !isDoneLate) return ok(state);
  const released = withWork(state, { lease: releasedByHolder(lease, now) });
  if (ended !== undefined) return ok(withoutTurn(released, now));
  if (!isClaim) return ok(released);
  if (done) return ok(withoutTurn(released, now));
  const { attempts = 1 } = state.work;
  const delayMs = retryDelayMs(attempts, random);
  return ok(afterAttempt(released, maxAttempts, { now, delayMs, error }));
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
