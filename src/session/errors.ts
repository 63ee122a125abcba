import type { InvalidTransition } from './session-status.js';

export { type InvalidTransition, invalidTransition } from './session-status.js';

/** A field of the input, and the rule that it breaks. */
export interface InputIssue {
  /** The field, for example `timeLimit` or `entries[2].content`. */
  readonly path: string;
  /** The rule, for example `must be a string`. */
  readonly message: string;
}

interface Failure<Type extends string> {
  /** Distinguishes the errors. */
  readonly type: Type;
  /** What happened, as text for logs. */
  readonly message: string;
}

/** The input breaks a rule. Nothing was read or written. */
export interface InvalidInput extends Failure<'invalid_input'> {
  /** Each field that breaks a rule, at most 20. */
  readonly issues: readonly InputIssue[];
  /** What a getter or proxy in the input threw, if one did; for logs. */
  readonly cause?: unknown;
}

/** The tenant has no session with this id. */
export interface NotFound extends Failure<'not_found'> {
  /** The id of the session. */
  readonly id: string;
}

/** The idempotency key was used before with other options. Nothing was changed. */
export interface IdempotencyMismatch extends Failure<'idempotency_mismatch'> {
  /** The id of the session that the key belongs to. */
  readonly id: string;
}

/** Another session of the tenant has this id. Nothing was changed. */
export interface IdTaken extends Failure<'id_taken'> {
  /** The id. */
  readonly id: string;
}

/** The operation id was used before for another operation on this session. Nothing was changed. */
export interface OperationMismatch extends Failure<'operation_mismatch'> {
  /** The id of the session. */
  readonly id: string;
}

/**
 * The tenant already has the maximum number of live sessions (ACTIVE or PAUSED),
 * `limits.activeSessions`. Nothing was changed.
 */
export interface TooManyActive extends Failure<'too_many_active'> {
  /** The id of the session that was not started. */
  readonly id: string;
  /** Maximum number of live sessions of the tenant. */
  readonly limit: number;
}

/** Another holder has the session. Nothing was changed. */
export interface Leased extends Failure<'leased'> {
  /** The name of the current holder. */
  readonly holder: string;
  /** When the lease ends unless its holder renews it: RFC 3339, UTC, milliseconds. */
  readonly until: string;
}

/**
 * The fencing token is not that of the current lease: the lease has run out, was released, or was
 * replaced by a later one. Nothing was changed.
 */
export interface LeaseLost extends Failure<'lease_lost'> {
  /** The fencing token that was given. */
  readonly fencingToken: number;
}

/** `cancel` has ended the lease with this fencing token. Nothing was changed. */
export interface Cancelled extends Failure<'cancelled'> {
  /** The fencing token that was given. */
  readonly fencingToken: number;
  /** The reason that was given to `cancel`, if there was one. */
  readonly reason?: string;
}

/** Why a lease is not the current one. */
export type LeaseEnded = LeaseLost | Cancelled;

/**
 * Other callers kept changing the session: try again. Of an `update` with `ifRevision`: the session
 * has another revision, because it was changed since you read it. This call changed nothing.
 */
export interface Conflict extends Failure<'conflict'> {
  /** The id of the session. */
  readonly id: string;
}

/**
 * The history would exceed the maximum number of entries. For a rewind, also: the history has been
 * cut by as many rewinds as the store can keep, as `message` says. Nothing was appended.
 */
export interface HistoryFull extends Failure<'history_full'> {
  /** The id of the session. */
  readonly id: string;
  /** Maximum number of entries in a history, or of rewinds that cut it. */
  readonly limit: number;
}

/**
 * The history does not end at `ifPosition`: another call has changed it. This call changed nothing.
 */
export interface HistoryMoved extends Failure<'history_moved'> {
  /** The id of the session. */
  readonly id: string;
  /** The position at which the history ends. */
  readonly position: number;
}

/**
 * The answer exceeds the `maxBytes` of the call, or a page of several sessions exceeds
 * `limits.pageBytes`. Ask for a smaller `limit` or `historyLimit`, or allow more bytes.
 */
export interface PageTooLarge extends Failure<'page_too_large'> {
  /** Approximate bytes of JSON of the answer; for a fork, of the entries to copy. */
  readonly bytes: number;
  /** Maximum bytes: that of the call, or that of a page. */
  readonly limit: number;
}

/**
 * A store did not load some sessions, because together they are larger than the `maxBytes` of the
 * read.
 */
export interface TooLarge extends Failure<'too_large'> {
  /** Approximate bytes of their JSON: at least its size, and at most three times that. */
  readonly bytes: number;
  /** Number of the sessions. */
  readonly sessions: number;
}

/**
 * A list by several labels, by label and status, or by last update would have to examine too many
 * sessions. Narrow it with labels, a status, `createdAfter` or `createdBefore`.
 */
export interface SearchTooLarge extends Failure<'search_too_large'> {
  /** Maximum number of sessions that a list examines. */
  readonly limit: number;
}

/** The store did not answer, or refused the call. */
export interface StoreUnavailable extends Failure<'store_unavailable'> {
  /**
   * Outcome of the write: `not_applied` is certain; `unknown` may have been applied. Both are safe
   * to repeat with the same idempotency key or operation id. A failed read is always `not_applied`.
   */
  readonly outcome: 'not_applied' | 'unknown';
  /** The error of the store or its client: for logs, not for clients. */
  readonly cause?: unknown;
}

/**
 * The stored session cannot be read: it is damaged, or a later version wrote it. Nothing was
 * changed.
 */
export interface CorruptRecord extends Failure<'corrupt_record'> {
  /** The id of the session. */
  readonly id: string;
}

/**
 * The setup is wrong: the tables are missing, a list or a watch needs an option that the store was
 * opened without, or the host's clock or id generator returns an invalid value. Nothing was
 * changed, and the same call fails until the setup is corrected.
 */
export interface Misconfigured extends Failure<'misconfigured'> {
  /** What is wrong and what to do, as text for logs. */
  readonly message: string;
  /** The error of the store or its client, where there is one: for logs, not for clients. */
  readonly cause?: unknown;
}

/**
 * `onEnded` of a sweep threw, rejected or took longer than a minute. The sweep calls it again
 * later.
 */
export interface ListenerFailed extends Failure<'listener_failed'> {
  /** The id of the session that ended. */
  readonly id: string;
  /** The exception of the listener, or the reason of its rejection. */
  readonly cause: unknown;
}

/** The inbox has as many messages as may wait, `limits.inboxMessages`. Nothing was changed. */
export interface InboxFull extends Failure<'inbox_full'> {
  /** The id of the session. */
  readonly id: string;
  /** Maximum number of messages that wait. */
  readonly limit: number;
}

/** Nobody has answered the message in time, or the session is over. A message that waits stays. */
export interface NotAnswered extends Failure<'not_answered'> {
  /** The id of the session. */
  readonly id: string;
  /** The id of the message. */
  readonly messageId: string;
}

/** The message will not be answered, because it was withdrawn. */
export interface Withdrawn extends Failure<'withdrawn'> {
  /** The id of the session. */
  readonly id: string;
  /** The id of the message. */
  readonly messageId: string;
}

/** The message will not be answered, because a rewind has taken it out of the history. */
export interface Superseded extends Failure<'superseded'> {
  /** The id of the session. */
  readonly id: string;
  /** The id of the message. */
  readonly messageId: string;
}

/** The turn has run longer than its `maxSeconds`. It is tried again as one that has failed. */
export interface RunTimeout extends Failure<'run_timeout'> {
  /** Maximum seconds of a run. */
  readonly maxSeconds: number;
}

/** The function that was given to `withLease` or `reply` threw or rejected. */
export interface CallbackFailed extends Failure<'callback_failed'> {
  /** The exception or the reason of the rejection. */
  readonly cause: unknown;
}

/** Every error of an operation. Distinguish them by `type`, not by `instanceof`. */
export type SessionError =
  | InvalidInput
  | NotFound
  | InvalidTransition
  | IdempotencyMismatch
  | IdTaken
  | OperationMismatch
  | Conflict
  | Leased
  | LeaseEnded
  | HistoryFull
  | HistoryMoved
  | InboxFull
  | NotAnswered
  | Withdrawn
  | Superseded
  | TooManyActive
  | PageTooLarge
  | SearchTooLarge
  | StoreUnavailable
  | CorruptRecord
  | Misconfigured;

/** Every error of an operation, and of the function that was given to it. */
export type OperationError = SessionError | CallbackFailed | RunTimeout;

/** Work on a session that has failed, in a worker. */
export interface WorkFailed extends Failure<'work_failed'> {
  /** The tenant of the session. */
  readonly tenant: string;
  /** The id of the session. */
  readonly id: string;
  /** Number of the attempt that has failed, from 1. */
  readonly attempt: number;
  /** What `run` threw, the error of its `Err`, or why the lease is over. */
  readonly cause: unknown;
}

/** Errors of a store. */
export type StoreError = StoreUnavailable | CorruptRecord | Misconfigured;

/** Why a sweep could not process a session. */
export type SweepFailure = StoreError | ListenerFailed;

export const invalidInput = (issues: readonly InputIssue[], cause?: unknown): InvalidInput => ({
  type: 'invalid_input',
  message: issues.map(({ path, message }) => `${path} ${message}`).join('; '),
  issues,
  ...(cause !== undefined && { cause }),
});

/** The same error with `pathOf` of its paths. */
export const withPaths = (
  { issues, cause }: InvalidInput,
  pathOf: (path: string) => string,
): InvalidInput =>
  invalidInput(
    issues.map(({ path, message }) => ({ path: pathOf(path), message })),
    cause,
  );

export const invalidField = (path: string, message: string): InvalidInput =>
  invalidInput([{ path, message }]);

export const notFound = (id: string): NotFound => ({
  type: 'not_found',
  message: 'there is no such session',
  id,
});

export const idempotencyMismatch = (id: string): IdempotencyMismatch => ({
  type: 'idempotency_mismatch',
  message: 'this idempotency key was used before with other options',
  id,
});

export const idTaken = (id: string): IdTaken => ({
  type: 'id_taken',
  message: 'another session has this id',
  id,
});

export const operationMismatch = (id: string): OperationMismatch => ({
  type: 'operation_mismatch',
  message: 'this operation id was used before for another operation',
  id,
});

/**
 * Escapes the characters of a text that control a terminal, the direction of text, or line breaks.
 */
export const plainText = (text: string): string =>
  text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );

export const leased = (holder: string, until: string): Leased => ({
  type: 'leased',
  message: `${plainText(holder)} has leased the session until ${until}`,
  holder,
  until,
});

export const callbackFailed = (cause: unknown): CallbackFailed => ({
  type: 'callback_failed',
  message: 'the function threw an exception',
  cause,
});

export const leaseLost = (fencingToken: number): LeaseLost => ({
  type: 'lease_lost',
  message: `the lease is lost: ${fencingToken} is not the fencing token of the current lease`,
  fencingToken,
});

export const cancelled = (fencingToken: number, reason: string | undefined): Cancelled => ({
  type: 'cancelled',
  message:
    reason === undefined
      ? 'the work was cancelled'
      : `the work was cancelled: ${plainText(reason)}`,
  fencingToken,
  ...(reason !== undefined && { reason }),
});

export const conflict = (id: string): Conflict => ({
  type: 'conflict',
  message: 'other callers kept changing the session; try again',
  id,
});

export const revisionMoved = (id: string): Conflict => ({
  type: 'conflict',
  message: 'the session has another revision: it was changed since it was read',
  id,
});

export const historyFull = (id: string, limit: number): HistoryFull => ({
  type: 'history_full',
  message: `the history would have more than ${limit} entries`,
  id,
  limit,
});

export const historyCut = (id: string, limit: number): HistoryFull => ({
  type: 'history_full',
  message: `rewinds have cut the history ${limit} times, the maximum of this store: continue in a fork`,
  id,
  limit,
});

export const historyMoved = (id: string, position: number): HistoryMoved => ({
  type: 'history_moved',
  message: `the history ends at position ${position}`,
  id,
  position,
});

export const inboxFull = (id: string, limit: number): InboxFull => ({
  type: 'inbox_full',
  message: `${limit} messages wait in the inbox, the maximum`,
  id,
  limit,
});

export const notAnswered = (id: string, messageId: string, reason: string): NotAnswered => ({
  type: 'not_answered',
  message: `nobody has answered the message: ${reason}`,
  id,
  messageId,
});

export const withdrawn = (id: string, messageId: string): Withdrawn => ({
  type: 'withdrawn',
  message: 'the message was withdrawn',
  id,
  messageId,
});

export const superseded = (id: string, messageId: string): Superseded => ({
  type: 'superseded',
  message: 'a rewind has taken the message out of the history',
  id,
  messageId,
});

export const runTimeout = (maxSeconds: number): RunTimeout => ({
  type: 'run_timeout',
  message: `the run took longer than ${maxSeconds} seconds`,
  maxSeconds,
});

export const tooManyActive = (id: string, limit: number): TooManyActive => ({
  type: 'too_many_active',
  message: `the tenant has ${limit} live sessions (ACTIVE or PAUSED), the maximum`,
  id,
  limit,
});

export const pageTooLarge = (
  bytes: number,
  limit: number,
  hint = 'ask for a smaller limit or historyLimit',
): PageTooLarge => ({
  type: 'page_too_large',
  message: `the answer would have ${bytes} bytes, more than the maximum of ${limit}: ${hint}`,
  bytes,
  limit,
});

/**
 * The error of a read if the sessions have more than `maxBytes` bytes; undefined if they have not.
 */
export const tooLarge = (
  { maxBytes = Number.POSITIVE_INFINITY }: { readonly maxBytes?: number | undefined },
  bytes: number,
  sessions: number,
): TooLarge | undefined => {
  if (bytes <= maxBytes) return undefined;
  const message = `the sessions have ${bytes} bytes, more than the maximum of ${maxBytes}`;
  return { type: 'too_large', message, bytes, sessions };
};

export const searchTooLarge = (limit: number): SearchTooLarge => ({
  type: 'search_too_large',
  message: `the list examines more than ${limit} sessions: narrow it with labels, a status, createdAfter or createdBefore`,
  limit,
});

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

export const corruptRecord = (id: string, reason: string): CorruptRecord => ({
  type: 'corrupt_record',
  message: `the stored session cannot be read: ${reason}`,
  id,
});

export const misconfigured = (message: string, cause?: unknown): Misconfigured => ({
  type: 'misconfigured',
  message,
  ...(cause !== undefined && { cause }),
});

export const workFailed = (failed: Omit<WorkFailed, 'type' | 'message'>): WorkFailed => ({
  type: 'work_failed',
  message: `the work on session ${plainText(failed.id)} has failed`,
  ...failed,
});

export const listenerFailed = (id: string, cause: unknown): ListenerFailed => ({
  type: 'listener_failed',
  message: 'onEnded failed; it will be called again',
  id,
  cause,
});
