import { plainText } from './plain-text.js';
import type { TypedError } from './typed-error.js';

/** Another holder has the session. Nothing was changed. */
export interface Leased extends TypedError<'leased'> {
  /** The name of the current holder. */
  readonly holder: string;
  /** When the lease ends unless its holder renews it: RFC 3339, UTC, milliseconds. */
  readonly until: string;
}

export const leased = (holder: string, until: string): Leased => ({
  type: 'leased',
  message: `${plainText(holder)} has leased the session until ${until}`,
  holder,
  until,
});

/**
 * The fencing token is not that of the current lease: the lease has run out, was released, or was
 * replaced by a later one. Nothing was changed.
 */
export interface LeaseLost extends TypedError<'lease_lost'> {
  /** The fencing token that was given. */
  readonly fencingToken: number;
}

export const leaseLost = (fencingToken: number): LeaseLost => ({
  type: 'lease_lost',
  message: `the lease is lost: ${fencingToken} is not the fencing token of the current lease`,
  fencingToken,
});

/** `cancel` has ended the lease with this fencing token. Nothing was changed. */
export interface Cancelled extends TypedError<'cancelled'> {
  /** The fencing token that was given. */
  readonly fencingToken: number;
  /** The reason that was given to `cancel`, if there was one. */
  readonly reason?: string;
}

export const cancelled = (fencingToken: number, reason: string | undefined): Cancelled => ({
  type: 'cancelled',
  message:
    reason === undefined
      ? 'the work was cancelled'
      : `the work was cancelled: ${plainText(reason)}`,
  fencingToken,
  ...(reason !== undefined && { reason }),
});

/** Why a lease is not the current one. */
export type LeaseEnded = LeaseLost | Cancelled;

/** The turn has run longer than its `maxSeconds`. It is tried again as one that has failed. */
export interface RunTimeout extends TypedError<'run_timeout'> {
  /** Maximum seconds of a run. */
  readonly maxSeconds: number;
}

export const runTimeout = (maxSeconds: number): RunTimeout => ({
  type: 'run_timeout',
  message: `the run took longer than ${maxSeconds} seconds`,
  maxSeconds,
});

/** The function that was given to `withLease` or `reply` threw or rejected. */
export interface CallbackFailed extends TypedError<'callback_failed'> {
  /** The exception or the reason of the rejection. */
  readonly cause: unknown;
}

export const callbackFailed = (cause: unknown): CallbackFailed => ({
  type: 'callback_failed',
  message: 'the function threw an exception',
  cause,
});

/** Work on a session that has failed, in a worker. */
export interface WorkFailed extends TypedError<'work_failed'> {
  /** The tenant of the session. */
  readonly tenant: string;
  /** The id of the session. */
  readonly id: string;
  /** Number of the attempt that has failed, from 1. */
  readonly attempt: number;
  /** What `run` threw, the error of its `Err`, or why the lease is over. */
  readonly cause: unknown;
}

export const workFailed = (failed: Omit<WorkFailed, 'type' | 'message'>): WorkFailed => ({
  type: 'work_failed',
  message: `the work on session ${plainText(failed.id)} has failed`,
  ...failed,
});
