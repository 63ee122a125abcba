import type { SearchTooLarge, StoreError, TooLarge } from '../session/errors.js';
import type { EntriesOutcome, HistorySlice } from '../session/history-slice.js';
import type { SessionLabels } from '../session/session.js';
import type { Answer, DueKey, SessionKey } from '../session/session-key.js';
import type { SessionRecord, StateRecord } from '../session/session-record.js';
import type { SessionStatus } from '../session/session-status.js';
import type { BeginCommit, Begun, ChangeCommit, Changed, RemoveCommit, Removed } from './commit.js';
import type { EventLog } from './event-log.js';

export type { EntriesOutcome, HistorySlice } from '../session/history-slice.js';
export type { Answer, DueKey, SessionKey } from '../session/session-key.js';
export type * from './commit.js';
export type { EventLog, EventScope } from './event-log.js';

/** The part of each session to read, and the maximum size of all of them. */
export interface ReadSize {
  /** Maximum number of the latest entries of each history; 0 for none. Default: all. */
  readonly historyLimit?: number | undefined;
  /**
   * Maximum bytes of JSON of the sessions together. If they are larger, the store loads none of
   * them and returns `too_large`. The store compares the approximate size that it returns in
   * `bytes`. Default: any size.
   */
  readonly maxBytes?: number | undefined;
}

/** A place in a tenant's list of sessions: after one of them, which may have been deleted since. */
export interface ListCursor {
  /** The id of the session. */
  readonly id: string;
  /**
   * The time that the list is ordered by: when the session was created, or with the order `updated`
   * when it was updated. RFC 3339, UTC, milliseconds.
   */
  readonly at: string;
}

/**
 * `newest`: by `createdAt` descending, then by `id` descending. `oldest`: the reverse. `updated`:
 * by the time of the last append or change descending, then by `id` descending.
 */
export type ListOrder = 'newest' | 'oldest' | 'updated';

/** The status of a session at a time. */
export interface StatusAt {
  /** The statuses of which the session has one; at least one, each once. */
  readonly anyOf: readonly SessionStatus[];
  /**
   * Milliseconds since the epoch. A session whose deadline has passed by then is TERMINATED, even
   * if its end is not stored.
   */
  readonly now: number;
}

/** The sessions of a page. Times have the form of `SessionHead.createdAt`. */
export interface PageRange extends ReadSize {
  /** Number of sessions to skip, from the beginning or after `cursor`. */
  readonly offset: number;
  /** Maximum number of sessions. */
  readonly limit: number;
  /** Default: `newest`. */
  readonly order?: ListOrder | undefined;
  /** Only sessions with one of these statuses at this time. */
  readonly status?: StatusAt | undefined;
  /** Only sessions created later than this time, exclusive. */
  readonly createdAfter?: string | undefined;
  /** Only sessions created earlier than this time, exclusive. */
  readonly createdBefore?: string | undefined;
  /**
   * Only sessions with all of these labels, one or more. For several labels, for a label with a
   * status, and for the order `updated`, the store examines all sessions between the two times that
   * have the label with the fewest of them; without labels, in the order `updated`, all between the
   * two times that have the status. It examines at most `SEARCH_LIMIT`, 10,000; more are
   * `search_too_large`. A page in another order, by one label or by statuses alone, has no such
   * limit.
   */
  readonly labels?: SessionLabels | undefined;
  /**
   * For the order `updated`: the caller's time, in milliseconds since the epoch. A session whose
   * deadline has passed by then counts as updated at its deadline; any other one as updated at its
   * `lastActivityAt`. Default: `lastActivityAt` for all sessions.
   */
  readonly now?: number | undefined;
  /** Only sessions after this one, in the order of the page. */
  readonly cursor?: ListCursor | undefined;
}

/** One page of a tenant's sessions. */
export interface RecordPage {
  /** The sessions in the order of the page. */
  readonly records: readonly SessionRecord[];
  /** Number of sessions on all pages: those of the tenant that match the range. */
  readonly total: number;
  /** Ids of sessions on this page that cannot be read; they are missing from `records`. */
  readonly unreadable: readonly string[];
  /**
   * The cursor of the last session on this page, readable or not. Absent if there are no sessions
   * after it.
   */
  readonly nextCursor?: ListCursor;
}

/** A session that a sweep or a worker must process, or what is left of a removed one. */
export interface DueSession extends DueKey {
  /** When the session became due, in milliseconds since the epoch. */
  readonly dueAt: number;
}

/** The result of `SessionStore.due`. */
export interface DueSessions {
  /** The longest overdue first. */
  readonly sessions: readonly DueSession[];
  /** Errors of sessions that could not be read; they stay due. */
  readonly failed: readonly StoreError[];
  /** Whether more sessions may be due in this part. */
  readonly hasMore: boolean;
  /** The `cursor` of the next call; absent if this was the last part. */
  readonly nextCursor?: string;
}

/** Input of `SessionStore.take`. Times are in milliseconds since the epoch. */
export interface TakeRange {
  /** Only sessions of this tenant. Default: those of all tenants. */
  readonly tenant?: string | undefined;
  /** Only sessions whose time has come by then. */
  readonly now: number;
  /** Until when no other call returns the sessions, unless a change of their state moves them. */
  readonly until: number;
  /** Maximum number of sessions. */
  readonly limit: number;
  /** The `nextCursor` of the previous call. */
  readonly cursor?: string | undefined;
  /**
   * Whether the caller has claimed other sessions already: sessions that must be claimed alone then
   * stay in the queue. Default: false.
   */
  readonly inCompany?: boolean | undefined;
}

/** A session that `SessionStore.take` hands out. */
export interface TakenRecord extends SessionKey {
  /** Since when the session waits for a worker, in milliseconds since the epoch. */
  readonly dueAt: number;
  /** What `find` gives with a `historyLimit` of 0, at that time or later. */
  readonly record: SessionRecord;
}

/** The result of `SessionStore.take`. */
export interface TakenRecords extends DueSessions {
  /** The longest waiting first. */
  readonly sessions: readonly TakenRecord[];
  /** Also `corrupt_record` for each session that was moved but cannot be read. */
  readonly failed: readonly StoreError[];
}

/** Input of `SessionStore.countWaiting`. */
export interface WaitingRange extends Pick<TakeRange, 'tenant' | 'now'> {
  /** The highest number that is counted to. */
  readonly limit: number;
}

/**
 * Stores sessions. It carries out commits and answers reads; what a session may do is decided
 * before (`src/plan`). Every method is atomic, answers within a bounded time, and returns errors as
 * values: `store_unavailable` with the outcome `not_applied` or `unknown` for a write,
 * `corrupt_record` if a stored record cannot be read, `misconfigured` if only a change of the
 * deployment helps. A commit is made at most once, even if the store's client sends it again.
 * `colloquy/testing` contains this contract as tests.
 */
export interface SessionStore {
  /**
   * Settles when no call is under way, so that a host can close the client or database then. An
   * operation of a service may be between two calls: `SessionService.drain` waits for it. Absent if
   * each call is done when it returns.
   */
  drain?(): Promise<void>;

  /** Adds a session with its first entries. */
  begin(commit: BeginCommit): Answer<Begun, StoreError>;

  /**
   * Changes a session. Changes without a `revision` never conflict with one another. The cost
   * depends on the entries of the change, not on the length of the history. No position is used
   * twice, even after a rewind.
   */
  change(commit: ChangeCommit): Answer<Changed, StoreError>;

  /** Removes a session, or what is left of one. */
  remove(commit: RemoveCommit): Answer<Removed, StoreError>;

  /**
   * Hands out sessions that wait for a worker (`wakeAtOf`) and moves each of them to `until`, in
   * one step: no two calls return the same session before then. A `put` moves a session to the
   * `wakeAtOf` of its new state, and so does a `wake`; other changes leave it. The store may return
   * a session that no longer waits for a worker. After a crash of the database, it may return those
   * again that it returned before.
   *
   * - Tenants take turns, in all processes: a tenant that was served goes behind the others that
   *   wait. The longest waiting sessions of each tenant come first. Continues as `due`.
   * - A session that has ended at `now` (`endsAt`) is never returned and takes no place of the
   *   limit, whatever the number of such sessions. The store may take it out of the queue for good,
   *   unless an `activity` postpones its end.
   * - A session whose lease has run out (`hasRunOut`) is returned alone, because it may have killed
   *   its worker: if it has waited longest, it is the only session, and otherwise it stays.
   */
  take(range: TakeRange): Answer<TakenRecords, StoreError>;

  /** Reads a session; undefined if there is none. */
  find(key: SessionKey, size?: ReadSize): Answer<SessionRecord | undefined, StoreError | TooLarge>;

  /** Reads the state of a session alone, or of what is left of one. */
  findState(key: DueKey): Answer<StateRecord | undefined, StoreError>;

  /** Reads a part of a history. The cost depends on the part, not on the length of the history. */
  entries(key: SessionKey, slice: HistorySlice): Answer<EntriesOutcome, StoreError>;

  /**
   * Reads a page, in O(log n + page); a search (`PageRange.labels`) takes time in proportion to the
   * sessions that it examines.
   */
  page(
    tenant: string,
    range: PageRange,
  ): Answer<RecordPage, StoreError | SearchTooLarge | TooLarge>;

  /**
   * Sessions of all tenants that are due at `now`, at most `limit`: the longest overdue of each
   * tenant, so that a tenant with many due sessions does not delay the others. A session is due at
   * the time of its state (`dueAtOf`), to which each `put` and each later `activity` moves it, or at
   * the one to which a `Move` has moved it. The store may return a session that is not due yet.
   *
   * A store may search one part of its data per call. The next call continues after `cursor`. If
   * nothing is due, at most ten calls search all parts.
   */
  due(now: number, limit: number, cursor?: string): Answer<DueSessions, StoreError>;

  /**
   * Number of sessions that `take` could return at `now`, of a tenant or of all; `limit` if there
   * are more. The cost depends on the limit, on the number of tenants, and on the number of
   * sessions in the queue that the clock has ended, not on the number of all sessions.
   */
  countWaiting(range: WaitingRange): Answer<number, StoreError>;

  /**
   * Whether sweeps of this deployment report ends: a setting that all processes of the store share,
   * by default false.
   */
  reportsEnds(): Answer<boolean, StoreError>;

  /**
   * The log of changes. Undefined, or `misconfigured` at each call, if the host has not enabled
   * events.
   */
  readonly events?: EventLog | undefined;
}
