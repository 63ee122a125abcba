import type { InvalidTransition } from './status.js';

export { type InvalidTransition, invalidTransition } from './status.js';

/** One thing that is wrong with what a caller gave: where, and the rule that it breaks. */
export interface InputIssue {
  /** The field, such as `timeLimit` or `entries[2].content`. */
  readonly path: string;
  readonly message: string;
}

interface Failure<Type extends string> {
  readonly type: Type;
  readonly message: string;
}

/** The arguments break a rule. Nothing was read or written. */
export interface InvalidInput extends Failure<'invalid_input'> {
  readonly issues: readonly InputIssue[];
}

/** The tenant has no session of this id. */
export interface NotFound extends Failure<'not_found'> {
  readonly id: string;
}

/** The idempotency key was used before, with other options. Nothing was changed. */
export interface IdempotencyMismatch extends Failure<'idempotency_mismatch'> {
  readonly id: string;
}

/** Others changed the session again and again while this call tried to. Nothing was changed by it; try again. */
export interface Conflict extends Failure<'conflict'> {
  readonly id: string;
}

/** The history would have more entries than the host allows. Nothing was appended. */
export interface HistoryFull extends Failure<'history_full'> {
  readonly id: string;
  /** The most entries that a history may have. */
  readonly limit: number;
}

/** The sessions of the page are larger together than the host allows. Ask for fewer, or for shorter histories. */
export interface PageTooLarge extends Failure<'page_too_large'> {
  /** Bytes of JSON that the page would have, about. */
  readonly bytes: number;
  /** The most bytes that a page may have. */
  readonly limit: number;
}

/** The store did not answer, or could not do what it was asked. */
export interface StoreUnavailable extends Failure<'store_unavailable'> {
  /**
   * What became of the write: `not_applied` is certain, `unknown` may have been applied. Either is safe to send again
   * with the same idempotency key or operation id. A failed read is always `not_applied`.
   */
  readonly outcome: 'not_applied' | 'unknown';
  /** What the store or its client said; for logs, never for strangers. */
  readonly cause?: unknown;
}

/** What is stored under this id is not a session that this version can read. Nothing was changed. */
export interface CorruptRecord extends Failure<'corrupt_record'> {
  readonly id: string;
}

/** A sweep's `onEnded` has thrown, rejected or taken longer than a minute. It is told of this end again later. */
export interface ListenerFailed extends Failure<'listener_failed'> {
  /** The session whose end it was told of. */
  readonly id: string;
  /** What it threw or rejected with. */
  readonly cause: unknown;
}

/** Every error that an operation answers with. Told apart by `type`, never by `instanceof`. */
export type SessionError =
  | InvalidInput
  | NotFound
  | InvalidTransition
  | IdempotencyMismatch
  | Conflict
  | HistoryFull
  | PageTooLarge
  | StoreUnavailable
  | CorruptRecord;

export type StoreError = StoreUnavailable | CorruptRecord;

export type CreateError = InvalidInput | IdempotencyMismatch | Conflict | StoreError;
export type ReadError = InvalidInput | NotFound | StoreError;
export type HistoryError = InvalidInput | NotFound | StoreError;
export type ListError = InvalidInput | PageTooLarge | StoreError;
export type ChangeError = InvalidInput | NotFound | InvalidTransition | Conflict | StoreError;
export type AppendError = InvalidInput | NotFound | InvalidTransition | HistoryFull | StoreError;
export type DeleteError = InvalidInput | StoreError;
export type SweepError = InvalidInput | StoreError;
/** Why a sweep could not see to a session. */
export type SweepFailure = StoreError | ListenerFailed;
export type WatchError = InvalidInput | NotFound | StoreError;

export const invalidInput = (issues: readonly InputIssue[]): InvalidInput => ({
  type: 'invalid_input',
  message: issues.map(({ path, message }) => `${path} ${message}`).join('; '),
  issues,
});

export const notFound = (id: string): NotFound => ({ type: 'not_found', message: 'there is no such session', id });

export const idempotencyMismatch = (id: string): IdempotencyMismatch => ({
  type: 'idempotency_mismatch',
  message: 'this idempotency key was used before with other options',
  id,
});

export const conflict = (id: string): Conflict => ({
  type: 'conflict',
  message: 'others kept changing the session at the same time; try again',
  id,
});

export const historyFull = (id: string, limit: number): HistoryFull => ({
  type: 'history_full',
  message: `the history would have more than ${limit} entries`,
  id,
  limit,
});

export const pageTooLarge = (bytes: number, limit: number): PageTooLarge => ({
  type: 'page_too_large',
  message: `the page would have ${bytes} bytes and may have ${limit}: ask for a smaller limit or historyLimit`,
  bytes,
  limit,
});

export const storeUnavailable = (
  message: string,
  outcome: StoreUnavailable['outcome'],
  cause?: unknown,
): StoreUnavailable => ({ type: 'store_unavailable', message, outcome, ...(cause === undefined ? {} : { cause }) });

export const corruptRecord = (id: string, reason: string): CorruptRecord => ({
  type: 'corrupt_record',
  message: `the stored session cannot be read: ${reason}`,
  id,
});

export const listenerFailed = (id: string, cause: unknown): ListenerFailed => ({
  type: 'listener_failed',
  message: 'onEnded has failed; it is told again',
  id,
  cause,
});
