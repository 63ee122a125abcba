import type { TypedError } from './typed-error.js';

/** The store did not answer, or refused the call. */
export interface StoreUnavailable extends TypedError<'store_unavailable'> {
  /**
   * Outcome of the write: `not_applied` is certain; `unknown` may have been applied. Both are safe
   * to repeat with the same idempotency key or operation id. A failed read is always `not_applied`.
   */
  readonly outcome: 'not_applied' | 'unknown';
  /** The error of the store or its client: for logs, not for clients. */
  readonly cause?: unknown;
}

export const storeUnavailable = (
  message: string,
  outcome: StoreUnavailable['outcome'],
  cause?: unknown,
): StoreUnavailable => ({
  type: 'store_unavailable',
  message,
  outcome,
  ...(cause !== undefined && { cause }),
});

/**
 * The stored session cannot be read: it is damaged, or a later version wrote it. Nothing was
 * changed.
 */
export interface CorruptRecord extends TypedError<'corrupt_record'> {
  /** The id of the session. */
  readonly id: string;
}

export const corruptRecord = (id: string, reason: string): CorruptRecord => ({
  type: 'corrupt_record',
  message: `the stored session cannot be read: ${reason}`,
  id,
});

/**
 * The setup is wrong: the tables are missing, a list or a watch needs an option that the store was
 * opened without, or the host's clock or id generator returns an invalid value. Nothing was
 * changed, and the same call fails until the setup is corrected.
 */
export interface Misconfigured extends TypedError<'misconfigured'> {
  /** What is wrong and what to do, as text for logs. */
  readonly message: string;
  /** The error of the store or its client, where there is one: for logs, not for clients. */
  readonly cause?: unknown;
}

export const misconfigured = (message: string, cause?: unknown): Misconfigured => ({
  type: 'misconfigured',
  message,
  ...(cause !== undefined && { cause }),
});

/** Errors of a store. */
export type StoreError = StoreUnavailable | CorruptRecord | Misconfigured;

/**
 * `onEnded` of a sweep threw, rejected or took longer than a minute. The sweep calls it again
 * later.
 */
export interface ListenerFailed extends TypedError<'listener_failed'> {
  /** The id of the session that ended. */
  readonly id: string;
  /** The exception of the listener, or the reason of its rejection. */
  readonly cause: unknown;
}

export const listenerFailed = (id: string, cause: unknown): ListenerFailed => ({
  type: 'listener_failed',
  message: 'onEnded failed; it will be called again',
  id,
  cause,
});

/** Why a sweep could not process a session. */
export type SweepFailure = StoreError | ListenerFailed;
