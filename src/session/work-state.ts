import { timestampOf } from './clock.js';
import { sortedLabels } from './labels.js';
import type { SessionLabels, SessionWork } from './session.js';
import type { LeaseRecord, StateRecord } from './session-record.js';

/** The prefix of labels that only the engine sets. */
export const RESERVED_PREFIX = 'colloquy.';

/**
 * The label of a session whose work has failed in all its attempts, until a worker claims it again.
 */
const WORK = `${RESERVED_PREFIX}work`;
const EXHAUSTED = 'exhausted';

export const isExhausted = ({ labels }: { readonly labels?: SessionLabels | undefined }): boolean =>
  labels?.[WORK] === EXHAUSTED;

export const exhausted = (state: StateRecord): StateRecord => {
  const labels = sortedLabels([...Object.entries(state.labels ?? {}), [WORK, EXHAUSTED]]);
  return { ...state, ...(labels && { labels }) };
};

export const notExhausted = (state: StateRecord): StateRecord => {
  if (!isExhausted(state)) return state;
  const { labels = {}, ...rest } = state;
  const others = sortedLabels(Object.entries(labels).filter(([name]) => name !== WORK));
  return { ...rest, ...(others && { labels: others }) };
};

/**
 * Whether the latest lease on the session ended at `now` or before without a release: its holder
 * may have crashed, and the session may be the reason.
 *
 * @example
 * ```ts
 * await sessions.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
 * const state = unwrap(store.findState({ tenant: 'acme', id }));
 * if (state) console.log(hasRunOut(state, Date.now() + 30_000)); // true
 * ```
 */
export const hasRunOut = ({ work: { lease } }: StateRecord, now: number): boolean =>
  lease !== undefined && lease.releasedAt === undefined && lease.until <= now;

const NEVER = Number.POSITIVE_INFINITY;

/** Milliseconds before the second attempt, and at most before any. */
const FIRST_MS = 1000;
const MOST_MS = 300_000;

/**
 * Milliseconds from a failed attempt to the next one: twice as long after each attempt, and of that
 * between a half and all, so that sessions that failed together do not come back together. `random`
 * is from 0 up to 1. See "equal jitter" in
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export const retryDelayMs = (attempts: number, random: number): number => {
  const longest = Math.min(MOST_MS, FIRST_MS * 2 ** (attempts - 1));
  return Math.round(longest * (0.5 + random / 2));
};

/**
 * Two leases that follow the same lease, because a failover has lost the first of them, share a
 * fencing token only once in this number.
 */
export const TOKEN_SPREAD = 2 ** 24;

/**
 * When work whose worker has crashed waits for its next attempt. The token, which is random, spreads
 * the sessions of one crash: all readers of a state must know the same time.
 */
const afterCrashAt = (lease: LeaseRecord, attempts: number): number => {
  const { maxAttempts, until, fencingToken, cancelled } = lease;
  if (maxAttempts === undefined || cancelled !== undefined) return NEVER;
  if (attempts >= maxAttempts) return until;
  return until + retryDelayMs(attempts, (fencingToken % TOKEN_SPREAD) / TOKEN_SPREAD);
};

/**
 * When a worker may claim the session, in milliseconds since the epoch; `Infinity` for never. A
 * PAUSED session waits until it is resumed. A lease prevents claims until it ends. If a claim was
 * not released, its worker may have crashed. The session is then claimed again: immediately if it
 * was woken or received a message since, otherwise after the delay of a failed attempt.
 *
 * @example
 * ```ts
 * await sessions.orThrow.wake(id);
 * const state = unwrap(store.findState({ tenant: 'acme', id }));
 * if (state) console.log(wakeAtOf(state) <= Date.now()); // true
 * ```
 */
export const wakeAtOf = ({ status, work }: StateRecord): number => {
  if (status === 'TERMINATED' || status === 'PAUSED') return NEVER;
  const { wakeAt = NEVER, retryAt = NEVER, askedAt = NEVER, lease, attempts = 1 } = work;
  const dueAt = Math.min(wakeAt, retryAt, askedAt);
  if (lease === undefined || lease.releasedAt !== undefined) return dueAt;
  return Math.max(lease.until, Math.min(dueAt, afterCrashAt(lease, attempts)));
};

const openClaim = (lease: LeaseRecord | undefined): LeaseRecord | undefined =>
  lease?.maxAttempts !== undefined && lease.releasedAt === undefined ? lease : undefined;

type WorkBegun = Pick<SessionWork, 'state'> & { readonly since: number };

/** The current work and when it began, in milliseconds since the epoch; undefined without work. */
const begunAt = (state: StateRecord, now: number): WorkBegun | undefined => {
  const { lease, askedAt = NEVER, wakeAt = NEVER, retryAt, failure } = state.work;
  const claim = openClaim(lease);
  if (claim !== undefined && now < claim.until) return { state: 'running', since: claim.takenAt };
  const since = Math.min(askedAt, wakeAt);
  if (since <= now) return { state: 'waiting', since };
  if (claim !== undefined && claim.cancelled === undefined)
    return { state: 'retrying', since: claim.until };
  if (retryAt !== undefined) return { state: 'retrying', since: failure?.at ?? retryAt };
  if (isExhausted(state))
    return { state: 'exhausted', since: failure?.at ?? lease?.releasedAt ?? state.since };
  return since < NEVER ? { state: 'waiting', since } : undefined;
};

/** The work on a session that has not ended, at `now`; undefined if there is none. */
export const workAt = (state: StateRecord, now: number): SessionWork | undefined => {
  const begun = state.status === 'TERMINATED' ? undefined : begunAt(state, now);
  if (begun === undefined) return undefined;
  const { attempts, failure } = state.work;
  const nextAt = wakeAtOf(state);
  const isLater = begun.state !== 'running' && now < nextAt && nextAt < NEVER;
  return {
    state: begun.state,
    since: timestampOf(begun.since),
    attempt: attempts ?? failure?.attempt ?? 0,
    ...(isLater && { nextAt: timestampOf(nextAt) }),
    ...(failure?.error !== undefined && { error: failure.error }),
  };
};
