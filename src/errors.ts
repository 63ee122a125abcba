import type { InvalidTransition } from './status.js';

export { type InvalidTransition, invalidTransition } from './status.js';

/** One thing that is wrong with what a caller gave: where, and the rule that it breaks. */
export interface InputIssue {
  /** The field, such as `timeLimit` or `entries[2].content`. */
  readonly path: string;
  readonly message: string;
}

/** The arguments break a rule. Nothing was read or written. */
export interface InvalidInput {
  readonly type: 'invalid_input';
  readonly message: string;
  readonly issues: readonly InputIssue[];
}

/** The tenant has no session of this id. */
export interface NotFound {
  readonly type: 'not_found';
  readonly message: string;
  readonly id: string;
}

/** The idempotency key was used before, with other options. Nothing was changed. */
export interface IdempotencyMismatch {
  readonly type: 'idempotency_mismatch';
  readonly message: string;
  readonly id: string;
}

/** Others changed the session again and again while this call tried to. Nothing was changed by it; try again. */
export interface Conflict {
  readonly type: 'conflict';
  readonly message: string;
  readonly id: string;
}

/** The history would have more entries than the host allows. Nothing was appended. */
export interface HistoryFull {
  readonly type: 'history_full';
  readonly message: string;
  readonly id: string;
  /** The most entries that a history may have. */
  readonly limit: number;
}

/** The sessions of the page are larger together than the host allows. Ask for fewer, or for shorter histories. */
export interface PageTooLarge {
  readonly type: 'page_too_large';
  readonly message: string;
  /** Bytes of JSON that the page would have, about. */
  readonly bytes: number;
  /** The most bytes that a page may have. */
  readonly limit: number;
}

/** The store did not answer, or could not do what it was asked. */
export interface StoreUnavailable {
  readonly type: 'store_unavailable';
  readonly message: string;
  /**
   * What became of the write: `not_applied` is certain, `unknown` may have been applied. Either is safe to send again
   * with the same idempotency key or operation id. A failed read is always `not_applied`.
   */
  readonly outcome: 'not_applied' | 'unknown';
  /** What the store or its client said; for logs, never for strangers. */
  readonly cause?: unknown;
}

/** What is stored under this id is not a session that this version can read. Nothing was changed. */
export interface CorruptRecord {
  readonly type: 'corrupt_record';
  readonly message: string;
  readonly id: string;
}

/** Every error of the engine. Told apart by `type`, never by `instanceof`. */
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
