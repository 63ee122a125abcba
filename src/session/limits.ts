/**
 * Limits on input and answers, set with `new SessionService({ limits })`. Numbers are at least 1,
 * except `activeSessions`.
 *
 * @example
 * ```ts
 * const limits: Partial<SessionLimits> = {
 *   timeLimit: 3600,
 *   contentBytes: 16 * 1024,
 *   historyEntries: 2000,
 *   activeSessions: (tenant) => (tenant === 'acme' ? 20 : 2),
 * };
 * const sessions = new SessionService({ store, limits });
 * ```
 */
export interface SessionLimits {
  /**
   * Maximum `timeLimit` of each session, in seconds. A higher one is refused, and a session that is
   * created without one, or with 0, gets this one. Default: 30 days for a session that has a time
   * limit; a session may have none.
   */
  readonly timeLimit: number;
  /** Maximum bytes of UTF-8 in `behavior`, and in `context`. Default: 64 KiB. */
  readonly textBytes: number;
  /**
   * Maximum bytes of UTF-8 in the `content` of an entry, together with the JSON of its `data`.
   * Default: 256 KiB.
   */
  readonly contentBytes: number;
  /**
   * Maximum bytes of UTF-8 in the JSON of the metadata of a session, also after an `update`.
   * Default: 16 KiB.
   */
  readonly metadataBytes: number;
  /** Maximum number of entries in one `append`. Default: 1000. */
  readonly entriesPerAppend: number;
  /**
   * Maximum number of entries in a history; an append beyond it fails with `history_full`. Default:
   * no limit.
   */
  readonly historyEntries: number;
  /**
   * Maximum number of messages that wait in an inbox; one more fails with `inbox_full`. Default:
   * 100.
   */
  readonly inboxMessages: number;
  /**
   * Maximum number of live sessions (ACTIVE or PAUSED) of a tenant; starting another session fails
   * with `too_many_active`. A number from 0, or a function of the tenant. Default: no limit.
   */
  readonly activeSessions: number | ((tenant: string) => number);
  /**
   * Names of counters that any session may count, at most 8, in addition to those of its budget.
   * Default: none.
   */
  readonly counters: readonly string[];
  /**
   * Maximum bytes of JSON in a page, or in an answer; a larger one fails with `page_too_large`. A
   * page of one session, and an answer of one entry, is always served. Default: 8 MiB.
   */
  readonly pageBytes: number;
  /**
   * Maximum bytes of JSON of the history that a fork copies; a larger copy fails with
   * `invalid_input`. A request of any size can store this much. Default: 1 MiB.
   */
  readonly forkBytes: number;
}

/** The limits of a service whose host sets none. */
export const defaultLimits = /* @__PURE__ */ Object.freeze({
  timeLimit: 30 * 24 * 60 * 60,
  textBytes: 64 * 1024,
  contentBytes: 256 * 1024,
  metadataBytes: 16 * 1024,
  entriesPerAppend: 1000,
  historyEntries: Number.MAX_SAFE_INTEGER,
  inboxMessages: 100,
  activeSessions: Number.MAX_SAFE_INTEGER,
  counters: [],
  pageBytes: 8 * 1024 * 1024,
  forkBytes: 1024 * 1024,
} as const satisfies SessionLimits);

/** The limits that are the same for all tenants. */
export type SizeLimit = Exclude<keyof SessionLimits, 'activeSessions' | 'counters'>;

/** Maximum length of a face's or a profile's name, in characters. */
export const NAME_LENGTH = 256;
export const ROLE_LENGTH = 64;
export const ENTRY_ID_LENGTH = 256;
/** Maximum number of messages that one turn takes at a time, and its default. */
export const TAKE_LIMIT = 100;
/** Maximum length of the error of an attempt, in characters. */
export const ERROR_LENGTH = 500;
/** Maximum length of session ids, tenants, idempotency keys and operation ids, in characters. */
export const KEY_LENGTH = 256;
export const MAX_LABELS = 8;
/** Maximum number of counters in a budget, and in a usage. */
export const MAX_COUNTERS = 8;
export const LABEL_VALUE_LENGTH = 256;
/**
 * Maximum number of sessions that a search examines: a list by several labels, by label and status,
 * or by last update.
 */
export const SEARCH_LIMIT = 10_000;
/** Maximum duration of a lease, in seconds: a day. It can be renewed. */
export const MAX_LEASE_SECONDS = 86_400;
/** Maximum number of sessions on a page; a higher `limit` counts as this one. */
export const PAGE_LIMIT = 100;
export const DEFAULT_PAGE_LIMIT = 10;
/** Maximum number of entries in a part of a history. */
export const HISTORY_LIMIT = 1000;
export const REDACT_LIMIT = 1000;
export const DEFAULT_HISTORY_LIMIT = 100;
export const CLAIM_LIMIT = 100;
/** Maximum number to which the sessions that wait for a worker are counted. */
export const WAITING_LIMIT = 10_000;

/** Claims of a session until its work is done: the default, and the highest maximum. */
export const DEFAULT_CLAIMS = 10;
export const MAX_CLAIMS = 1000;
export const SWEEP_LIMIT = 10_000;

/** Maximum time between a warning and the end of the session, in seconds: a day. */
export const WARNING_SECONDS = 86_400;

/** Maximum number of races against other callers that a call loses before it gives up. */
export const MAX_RACES = 32;

/** Seconds as milliseconds; 0 as `Infinity`. A time above 0 is at least 1 ms. */
export const limitMsOf = (seconds: number): number =>
  seconds === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.round(seconds * 1000));

/** Milliseconds as seconds; `Infinity` as 0. */
export const secondsOf = (limitMs: number): number =>
  limitMs === Number.POSITIVE_INFINITY ? 0 : limitMs / 1000;
