/** Bounds on what callers may send; a host sets others with `new SessionService({ limits })`. */
export interface SessionLimits {
  /** The highest `timeLimit`, in seconds. */
  readonly timeLimit: number;
  /** Bytes of UTF-8 in `behavior`, and in `context`. */
  readonly textBytes: number;
  /** Bytes of UTF-8 in one history entry's `content`. */
  readonly contentBytes: number;
  /** Entries in one `append`. */
  readonly entriesPerAppend: number;
  /** Entries in a session's history; an append that would make them more is `history_full`. */
  readonly historyEntries: number;
  /** Bytes of JSON in a page of a list; a larger one is `page_too_large`. One session alone is always served. */
  readonly pageBytes: number;
}

export const defaultLimits: SessionLimits = Object.freeze({
  timeLimit: 30 * 24 * 60 * 60,
  textBytes: 64 * 1024,
  contentBytes: 256 * 1024,
  entriesPerAppend: 1000,
  historyEntries: Number.MAX_SAFE_INTEGER,
  pageBytes: 8 * 1024 * 1024,
});

/** Characters in a face's or a profile's name. */
export const NAME_LENGTH = 256;
/** Characters in a history entry's role. */
export const ROLE_LENGTH = 64;
/** Characters in a session id, a tenant's name and an idempotency key that a caller gives. */
export const KEY_LENGTH = 256;
/** Characters in an operation id. */
export const OPERATION_ID_LENGTH = 64;
/** Sessions on one page; a higher `limit` is served as this. */
export const PAGE_LIMIT = 100;
/** Sessions on one page when nobody says how many. */
export const DEFAULT_PAGE_LIMIT = 10;
/** Entries in one part of a history. */
export const HISTORY_LIMIT = 1000;
/** Entries in one part of a history when nobody says how many. */
export const DEFAULT_HISTORY_LIMIT = 100;
/** Sessions that one sweep sees to. */
export const SWEEP_LIMIT = 10_000;

/** The longest time before its end that a session can be told to end soon, in seconds: a day. */
export const WARNING_SECONDS = 86_400;
