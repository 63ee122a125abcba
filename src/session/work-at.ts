import { timestampOf } from './clock.js';
import type { SessionWork } from './session.js';
import type { LeaseRecord, StateRecord } from './session-record.js';
import { isExhausted, wakeAtOf } from './work-state.js';

const NEVER = Number.POSITIVE_INFINITY;

const openClaim = (lease: LeaseRecord | undefined): LeaseRecord | undefined =>
  lease?.maxAttempts !== undefined && lease.releasedAt === undefined ? lease : undefined;

type Begun = Pick<SessionWork, 'state'> & { readonly since: number };

/** What is under way, and since when, in milliseconds since the epoch; undefined for nothing. */
const begunAt = (state: StateRecord, now: number): Begun | undefined => {
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
