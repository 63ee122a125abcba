import type { SearchTooLarge, StoreError, TooLarge } from '../session/errors.js';
import type { EntriesOutcome, HistorySlice } from '../session/history-slice.js';
import type { MessageEntry, SessionLabels } from '../session/session.js';
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
   * Maximum bytes of JSON of all sessions together, approximately. Above it, the store loads none
   * and returns `too_large` with the size. Default: any size.
   */
  readonly maxBytes?: number | undefined;
}

/** A place in a list of sessions: after one of them, which may have been deleted since. */
export interface ListCursor {
  /** The id of the session. */
  readonly id: string;
  /** When it was created, or in the order `updated` when it was updated. */
  readonly at: string;
}

/**
 * `newest`: by `createdAt` descending, then by `id` descending. `oldest`: the reverse. `updated`:
 * by the time of the last append or change descending, then by `id` descending.
 */
export type ListOrder = 'newest' | 'oldest' | 'updated';

/** The status of a session at a time. */
export interface StatusAt {
  /** One of these; at least one, each once. */
  readonly anyOf: readonly SessionStatus[];
  /**
   * Milliseconds since the epoch. A session whose deadline has passed by then is TERMINATED, even
   * if its end is not stored.
   */
  readonly now: number;
}

/** The sessions of a page. Texts of times have the form of `SessionHead.createdAt`. */
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
   * Only sessions with all of these labels, one or more. Several labels, a label with a status, and
   * the order `updated` are a search: the store examines all sessions between the two times that
   * have the label with the fewest of them, or without labels the status. If these are more than
   * `SEARCH_LIMIT`, 10,000, it returns `search_too_large`.
   */
  readonly labels?: SessionLabels | undefined;
  /**
   * For the order `updated`: a session whose deadline has passed by this time, in milliseconds
   * since the epoch, was updated at its deadline, any other at its `lastActivityAt`. Default: all
   * at
   * `lastActivityAt`.
   */
  readonly now?: number | undefined;
  /** Only sessions after this one, in the order of the page. */
  readonly cursor?: ListCursor | undefined;
}

/** One page of a tenant's sessions. */
export interface RecordPage {
  /** The sessions in the order of the page. */
  readonly records: readonly SessionRecord[];
  /** Number of sessions on all pages, without regard to the cursor. */
  readonly total: number;
  /** Ids of sessions on this page that cannot be read; they are missing from `records`. */
  readonly unreadable: readonly string[];
  /** That of the last session, readable or not; absent on the last page. */
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
  /** The `cursor` of the next call; absent after the last part. */
  readonly nextCursor?: string;
}

/** Input of `SessionStore.countWaiting`. */
export interface WaitingRange {
  /** Only sessions of this tenant. Default: those of all tenants. */
  readonly tenant?: string | undefined;
  /** Only sessions whose time has come by then, in milliseconds since the epoch. */
  readonly now: number;
  /** Maximum number of sessions. */
  readonly limit: number;
}

/** Input of `SessionStore.take`. */
export interface TakeRange extends WaitingRange {
  /** The sessions stay hidden from other calls until then, in milliseconds since the epoch. */
  readonly until: number;
  /** The `nextCursor` of the previous call. */
  readonly cursor?: string | undefined;
  /** The caller holds other sessions: those to be claimed alone stay. Default: false. */
  readonly inCompany?: boolean | undefined;
}

/** A session that `SessionStore.take` hands out. */
export interface TakenRecord extends SessionKey {
  /** Since when it waits for a worker, in milliseconds since the epoch. */
  readonly dueAt: number;
  /** As `find` returns it with a `historyLimit` of 0, then or later. */
  readonly record: SessionRecord;
}

/** A message of a session. */
export interface StoredMessage {
  /** As the sender gave it; no other message of the session has it, even a withdrawn one. */
  readonly id: string;
  /** As it was sent. */
  readonly digest: string;
  /** Present while the message waits. */
  readonly entry?: MessageEntry;
  /** The position that it got in the history. Present if it was taken; if neither is, withdrawn. */
  readonly position?: number;
}

/** The result of `SessionStore.take`. */
export interface TakenRecords extends DueSessions {
  /** The longest waiting first. */
  readonly sessions: readonly TakenRecord[];
  /** Also `corrupt_record` for each session that was moved but cannot be read. */
  readonly failed: readonly StoreError[];
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
   * Settles when no call is under way, so that a host can close the client or database. Absent if
   * each call is done when it returns.
   */
  drain?(): Promise<void>;

  /**
   * This store within a transaction that the caller has begun on `client`, a connection to the
   * database of the store: for commits and reads of sessions and pages. Each is one step of the
   * transaction, without retries: the caller's commit makes it, with its events, and a rollback
   * leaves nothing of it. Reads see the writes before them. Every error has the outcome
   * `not_applied`, except for a step that is still under way; its message says if only a rollback
   * is left. A client without a transaction fails with `misconfigured`. Throws a `TypeError` for a client
   * of another kind. Absent if the store has no transactions.
   */
  within?(client: object): SessionStore;

  /** Adds a session with its first entries. */
  begin(commit: BeginCommit): Answer<Begun, StoreError>;

  /**
   * Changes a session. Changes without a `revision` never conflict with one another. The cost
   * depends on the entries of the change, not on the history. No position is used twice, even after
   * a rewind.
   */
  change(commit: ChangeCommit): Answer<Changed, StoreError>;

  /** Removes a session, or what is left of one. */
  remove(commit: RemoveCommit): Answer<Removed, StoreError>;

  /**
   * Hands out sessions that wait for a worker (`wakeAtOf`) and moves each to `until`, in one step.
   * Until then, only a `put` or a `wake` moves it: to the `wakeAtOf` of its new state. The store
   * may return a session that no longer waits, and after a crash of the database one that it
   * returned before.
   *
   * - Tenants take turns, in all processes: one that was served goes behind the others that wait.
   *   The longest waiting sessions of each tenant come first. Continues as `due`.
   * - A session that has ended at `now` (`endsAt`) is never returned and takes no place of the
   *   limit. The store may take it out of the queue for good, unless an `activity` postpones its
   *   end.
   * - A session whose lease has run out (`hasRunOut`) may have killed its worker: it is returned
   *   alone if it has waited longest, and otherwise stays.
   */
  take(range: TakeRange): Answer<TakenRecords, StoreError>;

  /** Number of sessions that `take` could return, at most `limit`, without a search of all. */
  countWaiting(range: WaitingRange): Answer<number, StoreError>;

  /** Reads a session; undefined if there is none. */
  find(key: SessionKey, size?: ReadSize): Answer<SessionRecord | undefined, StoreError | TooLarge>;

  /** Reads the state of a session alone, or of what is left of one. */
  findState(key: DueKey): Answer<StateRecord | undefined, StoreError>;

  /**
   * Reads the messages that wait in the inbox, oldest first. With `ids`, the messages of a session
   * with these ids, waiting or not, in any order; at most 100. None if there is no session.
   */
  messages(key: SessionKey, ids?: readonly string[]): Answer<readonly StoredMessage[], StoreError>;

  /** Reads a part of a history, at the cost of the part. */
  entries(key: SessionKey, slice: HistorySlice): Answer<EntriesOutcome, StoreError>;

  /** Reads a page, in O(log n + page); a search in proportion to what it examines. */
  page(
    tenant: string,
    range: PageRange,
  ): Answer<RecordPage, StoreError | SearchTooLarge | TooLarge>;

  /**
   * Sessions of all tenants that are due at `now`, at most `limit`: the longest overdue of each
   * tenant, so that a tenant with many due sessions does not delay the others. A session is due at
   * `dueAtOf(state)`, to which each `put` and each later `activity` moves it, or at the time of a
   * later `Move`. The store may return a session that is not due yet.
   *
   * A store may search one part of its data per call. The next call continues after `cursor`. If
   * nothing is due, at most ten calls search all parts.
   */
  due(now: number, limit: number, cursor?: string): Answer<DueSessions, StoreError>;

  /** Whether sweeps report ends: one setting for all processes of the store, by default false. */
  reportsEnds(): Answer<boolean, StoreError>;

  /** The log of changes. Undefined, or `misconfigured`, if the host has not enabled events. */
  readonly events?: EventLog | undefined;
}
