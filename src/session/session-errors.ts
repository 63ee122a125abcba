import type { TypedError } from './typed-error.js';

/**
 * The tenant has no session with this id. Of `answer`, also: the session has no message with the
 * given id, which `message` says.
 */
export interface NotFound extends TypedError<'not_found'> {
  /** The id of the session. */
  readonly id: string;
}

export const notFound = (id: string, message = 'there is no such session'): NotFound => ({
  type: 'not_found',
  message,
  id,
});

/**
 * Other callers kept changing the session: try again. Of an `update` with `ifRevision`: the session
 * has another revision, because it was changed since you read it. This call changed nothing.
 */
export interface Conflict extends TypedError<'conflict'> {
  /** The id of the session. */
  readonly id: string;
}

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

/**
 * The tenant already has the maximum number of live sessions (ACTIVE or PAUSED),
 * `limits.activeSessions`. Nothing was changed.
 */
export interface TooManyActive extends TypedError<'too_many_active'> {
  /** The id of the session that was not started. */
  readonly id: string;
  /** Maximum number of live sessions of the tenant. */
  readonly limit: number;
}

export const tooManyActive = (id: string, limit: number): TooManyActive => ({
  type: 'too_many_active',
  message: `the tenant has ${limit} live sessions (ACTIVE or PAUSED), the maximum`,
  id,
  limit,
});

/**
 * The answer exceeds the `maxBytes` of the call, or a page of several sessions exceeds
 * `limits.pageBytes`. Ask for a smaller `limit` or `historyLimit`, or allow more bytes.
 */
export interface PageTooLarge extends TypedError<'page_too_large'> {
  /** Approximate bytes of JSON of the answer; for a fork, of the entries to copy. */
  readonly bytes: number;
  /** Maximum bytes: that of the call, or that of a page. */
  readonly limit: number;
}

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
 * A store did not load some sessions, because together they are larger than the `maxBytes` of the
 * read.
 */
export interface TooLarge extends TypedError<'too_large'> {
  /** Approximate bytes of their JSON: at least its size, and at most three times that. */
  readonly bytes: number;
  /** Number of the sessions. */
  readonly sessions: number;
}

export const tooLarge = (
  { maxBytes = Number.POSITIVE_INFINITY }: { readonly maxBytes?: number | undefined },
  bytes: number,
  sessions: number,
): TooLarge | undefined => {
  if (bytes <= maxBytes) return undefined;
  const message = `the sessions have ${bytes} bytes, more than the maximum of ${maxBytes}`;
  return { type: 'too_large', message, bytes, sessions };
};

/**
 * A list by several labels, by label and status, or by last update would have to examine too many
 * sessions. Narrow it with labels, a status, `createdAfter` or `createdBefore`.
 */
export interface SearchTooLarge extends TypedError<'search_too_large'> {
  /** Maximum number of sessions that a list examines. */
  readonly limit: number;
}

export const searchTooLarge = (limit: number): SearchTooLarge => ({
  type: 'search_too_large',
  message: `the list examines more than ${limit} sessions: narrow it with labels, a status, createdAfter or createdBefore`,
  limit,
});
