import type { SearchTooLarge, StoreError, TooLarge } from '../../../src/session/errors.js';
import type { EventDetail } from '../../../src/session/event-detail.js';
import type { AppendOutcome, HistoryAppend } from '../../../src/session/history-append.js';
import type { HistoryEntry } from '../../../src/session/session.js';
import type {
  SessionHead,
  SessionRecord,
  StateRecord,
} from '../../../src/session/session-record.js';
import type { LiveLimit, Remains } from '../../../src/store/commit.js';
import type {
  Answer,
  DueKey,
  DueSessions,
  EntriesOutcome,
  EventLog,
  HistorySlice,
  PageRange,
  ReadSize,
  RecordPage,
  SessionKey,
  TakenRecords,
  TakeRange,
  WaitingRange,
} from '../../../src/store/session-store.js';

export type * from '../../../src/session/history-append.js';
export type * from '../../../src/store/commit.js';
export type * from '../../../src/store/session-store.js';

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

/**
 * Stores sessions. Every method is atomic, answers within a bounded time, and returns errors as
 * values: `store_unavailable` with the outcome `not_applied` or `unknown` for a write,
 * `corrupt_record` if a stored record cannot be read, `misconfigured` if only a change of the
 * deployment helps. A call is applied at most once, even if the store's client sends it again. The
 * store compares and sets; the service decides what a session may do. `colloquy/testing` contains
 * this contract as tests.
 */
export interface TodaysStore {
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
  claim(range: TakeRange): Answer<TakenRecords, StoreError>;

  /**
   * Number of sessions that claims could return at `now`, of a tenant or of all; `limit` if there
   * are more. Changes nothing. The cost depends on the limit, on the number of tenants, and on the
   * number of sessions in the queue that the clock has ended, not on the number of all sessions.
   */
  countWaiting(range: WaitingRange): Answer<number, StoreError>;
}
