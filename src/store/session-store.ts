import type { SearchTooLarge, StoreError, TooLarge } from '../session/errors.js';
import type { EventDetail } from '../session/event-detail.js';
import type { AppendOutcome, HistoryAppend } from '../session/history-append.js';
import type { EntriesOutcome, HistorySlice } from '../session/history-slice.js';
import type { HistoryEntry, SessionLabels } from '../session/session.js';
import type { EventPage } from '../session/session-event.js';
import type { Answer, DueKey, SessionKey } from '../session/session-key.js';
import type { SessionHead, SessionRecord, StateRecord } from '../session/session-record.js';
import type { SessionStatus } from '../session/session-status.js';

export type { AppendOutcome, HistoryAppend } from '../session/history-append.js';
export type { EntriesOutcome, HistorySlice } from '../session/history-slice.js';
export type { Answer, DueKey, SessionKey } from '../session/session-key.js';

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

/** The history and the conditions of a new session. */
export interface Opening {
  /** The first entries. May be empty. */
  readonly entries: readonly HistoryEntry[];
  /** The session of the tenant from which the first entries were read. Given only for a fork. */
  readonly source?: {
    /** The id of the session. */
    readonly id: string;
    /** The version of its history that was read, from `findEntries`. */
    readonly version: string;
  };
  /** Given only if the state is ACTIVE. */
  readonly cap?: LiveLimit;
}

/**
 * Outcome of `SessionStore.insert`. The conditions are checked in this order. Without an insert,
 * nothing is written.
 */
export type Inserted =
  | 'inserted'
  /** A session with this id exists. */
  | 'taken'
  /** The source does not exist, or its history has another version. */
  | 'source_changed'
  /** The tenant already has the maximum number of live sessions. */
  | 'too_many';

/** Outcome of `SessionStore.redact`. */
export type Redacted =
  | 'redacted'
  /** One of the positions is after the end, or cannot be that of an entry. Nothing was written. */
  | 'invalid_position'
  | 'missing';

/** A limit on the live sessions of a tenant: those that are ACTIVE or PAUSED. */
export interface LiveLimit {
  /** Maximum number of live sessions, including the one that is changed. */
  readonly sessions: number;
  /**
   * The caller's time, in milliseconds since the epoch. A session whose deadline has passed by then
   * does not count.
   */
  readonly now: number;
}

/** The event and the condition of a change; see `SessionStore.replace`. */
export interface ReplaceOptions {
  /**
   * The event of the change. Absent if this is no change, such as a renewed lease: the sequence
   * then stays.
   */
  readonly event?: EventDetail | undefined;
  /** Given only if an IDLE session becomes ACTIVE. */
  readonly cap?: LiveLimit | undefined;
  /**
   * Given for an end by inactivity: the `lastActivityAt` that it was computed from. If the stored
   * one is later, the change is `stale`. Default: no condition.
   */
  readonly unusedSince?: number | undefined;
}

/** Outcome of `SessionStore.replace`. */
export type Replaced = 'replaced' | 'stale' | 'missing' | 'too_many';

/** Conditions of `SessionStore.remove`. */
export interface Removal {
  /**
   * Removes the session only if its state has this revision. 0, which no state has, removes only
   * data without a state, which a crash of the database can leave behind.
   */
  readonly revision?: number;
  /** As in `ReplaceOptions`, if `remains` have ended by inactivity. */
  readonly unusedSince?: number | undefined;
  /** The caller's time, in milliseconds since the epoch. Default: the machine's time. */
  readonly now?: number;
  /** What is left of the session until its end is reported. Default: nothing. */
  readonly remains?: Remains | undefined;
}

/** What is left of a removed session until its end is reported. */
export interface Remains {
  /** See `DueKey.removal`. */
  readonly removal: string;
  /** A state with a `report`. */
  readonly state: StateRecord;
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

/** Input of `SessionStore.claim`. Times are in milliseconds since the epoch. */
export interface ClaimRange {
  /** Only sessions of this tenant. Default: those of all tenants. */
  readonly tenant?: string | undefined;
  /** Only sessions whose time has come by then. */
  readonly now: number;
  /** Until when no other claim returns the sessions, unless a change of their state moves them. */
  readonly until: number;
  /** Maximum number of sessions. */
  readonly limit: number;
  /** The `nextCursor` of the previous claim. */
  readonly cursor?: string | undefined;
  /**
   * Whether the caller has claimed other sessions already: sessions that must be claimed alone then
   * stay in the queue. Default: false.
   */
  readonly inCompany?: boolean | undefined;
}

/** A session that `SessionStore.claim` hands out. */
export interface ClaimedRecord extends SessionKey {
  /** Since when the session waits for a worker, in milliseconds since the epoch. */
  readonly dueAt: number;
  /** What `find` gives with a `historyLimit` of 0, at the time of the claim or later. */
  readonly record: SessionRecord;
}

/** The result of `SessionStore.claim`. */
export interface ClaimedRecords extends DueSessions {
  /** The longest waiting first. */
  readonly sessions: readonly ClaimedRecord[];
  /** Also `corrupt_record` for each session that was moved but cannot be read. */
  readonly failed: readonly StoreError[];
}

/** Input of `SessionStore.countWaiting`. */
export interface WaitingRange extends Pick<ClaimRange, 'tenant' | 'now'> {
  /** The highest number that is counted to. */
  readonly limit: number;
}

/** Input of `SessionStore.reschedule`. Times are in milliseconds since the epoch. */
export interface Rescheduling {
  /** The `dueAt` that `due` returned for the session. */
  readonly from: number;
  /** When the session is due again; `Infinity` for never. */
  readonly to: number;
  /**
   * Whether a session that has not ended may become due later than its deadline. True only for a
   * session that cannot be read or ended, because lists by status look for expired sessions among
   * the due ones. Default: false.
   */
  readonly isDamaged?: boolean;
}

/** The events that a reader wants: those of one session, or all of a tenant. */
export interface EventScope {
  readonly tenant: string;
  /** Undefined for all sessions of the tenant. */
  readonly sessionId: string | undefined;
}

/**
 * The changes of a store's sessions, in streams that all processes of the store share and that keep
 * the latest events. The store writes an event in the same step as its change: neither exists
 * without the other. A repeated call that the store recognises writes no second event. The events
 * of a session are in the order of their sequence.
 *
 * A position in a stream is `<milliseconds>-<number>`: when the event was logged, by the clock of
 * the log, and a number below 2^64 that distinguishes events of the same millisecond. Positions
 * only increase. `0` is before all of them. Positions never leave the engine, because they would
 * reveal the activity of other tenants.
 */
export interface EventLog {
  /**
   * Called before a watch calls the other methods, so that the log can read its settings. An error
   * ends the watch.
   */
  open?(): Answer<void, StoreError>;

  /** The stream that contains a tenant's events. It may also contain events of other tenants. */
  streamOf(tenant: string): string;

  /**
   * All streams, for workers of all tenants, once the log is open. Without this method, or with no
   * streams, such workers only poll.
   */
  streams?(): readonly string[];

  /** The position after the latest event of a stream. */
  latest(stream: string): Answer<string, StoreError>;

  /**
   * The time by the clock of the log, in whole milliseconds since the epoch: no event that is
   * logged after this call has an earlier one in its position.
   */
  now(stream: string): Answer<number, StoreError>;

  /**
   * Reads the events after a position, oldest first, at most `limit`. The position need not belong
   * to an event: it may be `0`, or a time with the number 2^64 - 1. The log may leave out events
   * outside the scope `of`. For position `0`, `isTrimmed` is true if the stream has lost any event.
   * It is also true if the store was restored from older data that does not contain the event of
   * the position; if there are no events after the position, the answer then has the position of
   * the latest event.
   */
  read(
    stream: string,
    position: string,
    limit: number,
    of?: EventScope,
  ): Answer<EventPage, StoreError>;

  /**
   * Calls the listener soon after a stream has new events, from any process, until the returned
   * function is called. Without this method, watched streams are polled.
   */
  readonly listen?: ((listener: () => void, stream: string) => () => void) | undefined;

  /**
   * Whether the log can never be read again because its client was closed. Watches then end with an
   * error.
   */
  isClosed?(): boolean;
}

/**
 * Stores sessions. Every method is atomic, answers within a bounded time, and returns errors as
 * values: `store_unavailable` with the outcome `not_applied` or `unknown` for a write,
 * `corrupt_record` if a stored record cannot be read, `misconfigured` if only a change of the
 * deployment helps. A call is applied at most once, even if the store's client sends it again. The
 * store compares and sets; the service decides what a session may do. `colloquy/testing` contains
 * this contract as tests.
 */
export interface SessionStore {
  /**
   * Settles when no call is under way, so that a host can close the client or database then. An
   * operation of a service may be between two calls: `SessionService.drain` waits for it. Absent if
   * each call is done when it returns.
   */
  drain?(): Promise<void>;

  /**
   * Adds a session. If the id is taken, the existing session stays unchanged. With an `opening`,
   * the state may be ACTIVE, and the creation, the start and the history that it begins with are
   * one change each, each with its event.
   */
  insert(
    tenant: string,
    head: SessionHead,
    state: StateRecord,
    opening?: Opening,
  ): Answer<Inserted, StoreError>;

  /** Reads the session; undefined if there is none. */
  find(key: SessionKey, size?: ReadSize): Answer<SessionRecord | undefined, StoreError | TooLarge>;

  /** Reads the state alone. The cost does not depend on the history. */
  findState(key: DueKey): Answer<StateRecord | undefined, StoreError>;

  /**
   * Reads a page, in O(log n + page); a search (`PageRange.labels`) takes time in proportion to the
   * sessions that it examines.
   */
  list(tenant: string, page: PageRange): Answer<RecordPage, StoreError | SearchTooLarge | TooLarge>;

  /**
   * Replaces the state `previous` by `next`, with the next sequence and the event, if there is one.
   * If the stored state has another revision than `previous`, or the session was used since
   * `unusedSince`, writes nothing and returns `stale`. If it has the same revision, it is `previous`
   * in all but `lastActivityAt`, which stays if it is later than in `next`. New labels move the
   * session between the lists of labels in the same step.
   *
   * Under a cap, if the tenant already has the maximum number of live sessions, writes nothing and
   * returns `too_many`. The count is exact even if calls race.
   */
  replace(
    key: DueKey,
    previous: StateRecord,
    next: StateRecord,
    options?: ReplaceOptions,
  ): Answer<Replaced, StoreError>;

  /**
   * Adds entries at the end of the history or after `after`, if the state accepts history at `now`
   * (`acceptsHistoryAt`). An append that is applied always sets `lastActivityAt` to `now`, with an
   * inactivity timeout or without, except that a later one stays, and that an append in the grace
   * period, after the end of the session, leaves the whole state as it is (`usedAt`). With `wake`
   * the session is claimable as `wakeAtOf` of its new state says. Appends at the end never conflict
   * with each other. The cost does not depend on the length of the history. No position is used
   * twice, even after a rewind.
   */
  append(key: SessionKey, append: HistoryAppend): Answer<AppendOutcome, StoreError>;

  /**
   * Overwrites the entries at these positions with entries of the same role and time but without
   * content, `id` and `data`, even superseded ones, so that the store no longer contains the data.
   * Their positions stay; sizes may count them as before. One change with one event, unless nothing
   * is left to overwrite; a large redaction may be several of these. If it then fails with
   * `unknown`, some of the entries may be overwritten. Allowed in any status. The state does not
   * change.
   */
  redact(key: SessionKey, positions: readonly number[], now: number): Answer<Redacted, StoreError>;

  /**
   * Reads a part of the history. The cost depends on the part, not on the length of the history.
   */
  findEntries(key: SessionKey, slice: HistorySlice): Answer<EntriesOutcome, StoreError>;

  /**
   * Removes the session completely, from every index. `stale`: the state does not have the given
   * revision, or the session was used since `unusedSince`.
   *
   * With `remains`, keeps that state under the key with `removal`, in the same step. Only `due`
   * returns it, and only `findState`, `replace`, `remove` and `reschedule` take its key; its
   * changes have no events. Another session may have the id meanwhile.
   */
  remove(key: DueKey, removal?: Removal): Answer<'removed' | 'stale' | 'missing', StoreError>;

  /**
   * The log of changes. Undefined, or `misconfigured` at each call, if the host has not enabled
   * events.
   */
  readonly events?: EventLog | undefined;

  /**
   * Whether sweeps of this deployment report ends: a setting that all processes of the store share,
   * by default false.
   */
  reportsEnds(): Answer<boolean, StoreError>;

  /**
   * Sessions of all tenants that are due at `now`, at most `limit`: the longest overdue of each
   * tenant, so that a tenant with many due sessions does not delay the others. A session is due at
   * the time of its state (`dueAtOf`), to which each change of the state moves it, or at the one to
   * which `reschedule` has moved it. The store may return a session that is not due yet; the caller
   * reschedules it.
   *
   * A store may search one part of its data per call. The next call continues after `cursor`. If
   * nothing is due, at most ten calls search all parts.
   */
  due(now: number, limit: number, cursor?: string): Answer<DueSessions, StoreError>;

  /**
   * Moves a session that is due at `from` to another time. A session that has not ended never
   * becomes due later than its deadline, even if `to` is later, unless it `isDamaged`. `stale`: the
   * session was due at another time, or did not move.
   */
  reschedule(key: DueKey, rescheduling: Rescheduling): Answer<'moved' | 'stale', StoreError>;

  /**
   * Returns sessions that wait for a worker (`wakeAtOf`) and moves each of them to `until`, in one
   * step: no two claims return the same session before then. A change of the state moves a session
   * to the `wakeAtOf` of the new one; appends without `wake` leave it. The store may return a
   * session that no longer waits for a worker. After a crash of the database, it may return those
   * again that it returned before.
   *
   * - Tenants take turns, in all processes: a tenant that was served goes behind the others that
   *   wait. The longest waiting sessions of each tenant come first. Continues as `due`.
   * - A session that has ended at `now` (`endsAt`) is never returned and takes no place of the
   *   limit, whatever the number of such sessions. The store may take it out of the queue for good,
   *   unless an append postpones its end.
   * - A session whose lease has run out (`hasRunOut`) is returned alone, because it may have killed
   *   its worker: if it has waited longest, it is the only session, and otherwise it stays.
   */
  claim(range: ClaimRange): Answer<ClaimedRecords, StoreError>;

  /**
   * Number of sessions that claims could return at `now`, of a tenant or of all; `limit` if there
   * are more. Changes nothing. The cost depends on the limit, on the number of tenants, and on the
   * number of sessions in the queue that the clock has ended, not on the number of all sessions.
   */
  countWaiting(range: WaitingRange): Answer<number, StoreError>;
}
