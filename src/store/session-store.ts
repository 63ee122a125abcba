import type { Result } from 'neverthrow';
import type { StoreError, StoreUnavailable } from '../errors.js';
import type { EventPage } from '../events/session-event.js';
import type { HistoryEntry } from '../session/session.js';
import type { SessionHead, SessionRecord, StateRecord } from '../session/session-record.js';
import type { SessionStatus } from '../session/session-status.js';

/** A result, now or later: a store in memory answers at once, one behind a network with a promise or `ResultAsync`. */
export type Answer<T, E> = Result<T, E> | PromiseLike<Result<T, E>>;

/** Whose session, and which. No call reaches another tenant's data, whatever characters the two are made of. */
export interface SessionKey {
  readonly tenant: string;
  readonly id: string;
}

/**
 * Asked once a store knows how large the sessions are that it is to read, and before it reads them: the error to answer
 * with instead, or nothing. `bytes` is about the size of their JSON, and at most three times that.
 */
export type Admit<E> = (bytes: number, sessions: number) => E | undefined;

/** How much of the sessions a read brings. */
export interface ReadSize {
  /** At most so many of the latest entries of each history; 0 for none. Default: all. */
  readonly historyLimit?: number | undefined;
}

/** What `SessionStore.append` adds. */
export interface HistoryAppend {
  /** At least one, oldest first, to be kept together and in this order. */
  readonly entries: readonly HistoryEntry[];
  /** The caller's time, in milliseconds since the epoch. */
  readonly now: number;
  /**
   * The caller's name for this append, to be recognised for as long as the session exists: the second append of a
   * name adds nothing.
   */
  readonly operationId?: string;
  /** The most entries that the history may have with these. */
  readonly mostEntries?: number;
}

export type AppendOutcome =
  /** `position` is where the history stands after these entries: opaque, and the same when the call is repeated. */
  | { readonly outcome: 'appended'; readonly position: number }
  /** The session accepts no history at `now`; this is its state. Nothing was written. */
  | { readonly outcome: 'closed'; readonly state: StateRecord }
  /** The history would have more than `mostEntries`. Nothing was written. */
  | { readonly outcome: 'full' }
  | { readonly outcome: 'missing' };

/** Which part of a history; numbers of entries are at least 1. */
export type HistorySlice = (
  | {
      /** At most so many of the latest entries. */
      readonly last: number;
    }
  | {
      /** A position that an append or another slice has answered, or 0 for the beginning. */
      readonly after: number;
      /** At most so many entries behind it. */
      readonly limit: number;
    }
) & {
  /** Fewer entries where these would have more bytes of JSON, about; at least one. Default: no bound. */
  readonly maxBytes?: number;
};

export type EntriesOutcome =
  | {
      readonly outcome: 'found';
      /** Oldest first. */
      readonly entries: readonly HistoryEntry[];
      /** Where the history stands behind the last of them; where there is none, behind all that there is so far. */
      readonly position: number;
      /** Whether there are entries behind `position`. */
      readonly hasMore: boolean;
    }
  /** `after` is no position in this history. */
  | { readonly outcome: 'astray' }
  | { readonly outcome: 'missing' };

/** What `SessionStore.remove` needs to know. */
export interface Removal {
  /** Removes only a session whose state has this revision. */
  readonly revision?: number;
  /** The caller's time, in milliseconds since the epoch. Default: the machine's. */
  readonly now?: number;
}

/** Where a session stands in its tenant's list, or has stood. */
export type ListPlace = Pick<SessionHead, 'id' | 'createdAt'>;

/** `newest`: by `createdAt` from the latest back, equal ones by `id` from the highest down. `oldest`: the reverse. */
export type ListOrder = 'newest' | 'oldest';

/** Sessions by their status at a time. */
export interface StatusAt {
  readonly status: SessionStatus;
  /** In milliseconds since the epoch. A session whose deadline has passed by then is TERMINATED, written down or not. */
  readonly now: number;
}

/** Which sessions of a tenant are on a page. Times are in the form of `SessionHead.createdAt`. */
export interface PageRange extends ReadSize {
  /** How many to pass over, from the beginning or from `after`. */
  readonly offset: number;
  readonly limit: number;
  /** Default: `newest`. */
  readonly order?: ListOrder | undefined;
  /** Only sessions with this status at this time. */
  readonly status?: StatusAt | undefined;
  /** Only sessions created later than this, to the millisecond. */
  readonly createdAfter?: string | undefined;
  /** Only sessions created earlier than this, to the millisecond. */
  readonly createdBefore?: string | undefined;
  /** Only sessions behind this place, in the order of the page. */
  readonly after?: ListPlace | undefined;
}

/** One page of a tenant's sessions. */
export interface RecordPage {
  readonly records: readonly SessionRecord[];
  /** How many sessions of the status the tenant has between `createdAfter` and `createdBefore`, on whatever pages. */
  readonly total: number;
  /** Ids on this page whose records cannot be read; they are missing from `records`. */
  readonly unreadable: readonly string[];
  /** The place of the last session on this page, readable or not; only if there are sessions behind it. */
  readonly next?: ListPlace;
}

/** A session that is to be looked at. */
export interface DueSession extends SessionKey {
  /** Since when, in milliseconds since the epoch. */
  readonly dueAt: number;
}

/** What is due in a part of the store, and what could not be looked at. */
export interface DueSessions {
  /** The longest overdue first. */
  readonly sessions: readonly DueSession[];
  /** Why other sessions could not be looked at; they stay due. */
  readonly failed: readonly StoreError[];
  /** Whether more may be due in this part. */
  readonly hasMore: boolean;
  /** What the next call goes on behind; nothing where this was the last part. */
  readonly next?: string;
}

/** What `SessionStore.reschedule` does, in milliseconds since the epoch. */
export interface Rescheduling {
  /** The `dueAt` with which `due` gave the session. */
  readonly from: number;
  /** When it is due again; `Infinity` for never. */
  readonly to: number;
  /**
   * Whether a session that has not ended may be due later than at its deadline. Only for one that cannot be read or
   * ended: lists by status find the ends that the clock has made among what is due. Default: no.
   */
  readonly isDamaged?: boolean;
}

/** Whose events a reader wants: those of one session, or all of a tenant. */
export interface EventScope {
  readonly tenant: string;
  /** Nothing for all sessions of the tenant. */
  readonly sessionId: string | undefined;
}

/**
 * What has happened to the sessions of a store, in streams that keep the latest events and are shared by all its
 * processes. A change has been told when the call that made it succeeds. It is told again where it is asked for again
 * and recognised, under the same id and number.
 *
 * A position in a stream is `<milliseconds>-<number>`: when the event was told, by the clock of the log, and a number
 * below 2^64 that tells apart those of one millisecond. Positions grow. `0` is in front of them all. They never leave the
 * engine: they would tell of other tenants.
 */
export interface EventLog {
  /** The stream in which a tenant's events stand; other tenants' may be among them. */
  streamOf(tenant: string): string;

  /** Behind the latest event of a stream. */
  latest(stream: string): Answer<string, StoreUnavailable>;

  /**
   * Looks at the events behind a position, oldest first, at most `limit`. The position need not be that of an event. The
   * log may leave out what is not of the given scope. From `0` on, `isTrimmed` says whether the stream has lost anything.
   */
  read(stream: string, position: string, limit: number, of?: EventScope): Answer<EventPage, StoreUnavailable>;

  /** Tells the last change of a session's state once more, for a caller that may have got no answer to it. */
  repeat(key: SessionKey): Answer<unknown, StoreError>;

  /**
   * Calls the listener soon after there is something new in a stream, whichever process has written it, until the function
   * is called that it gives. Without it, streams that are watched are read again and again.
   */
  readonly listen?: ((listener: () => void, stream: string) => () => void) | undefined;

  /** Whether the log can never be read again, as its client was closed for good. Watches then end with an error. */
  isClosed?(): boolean;
}

/**
 * Where sessions are kept. Every method is atomic, answers within a bounded time, and gives errors as values:
 * `store_unavailable` says whether a write is `not_applied` or `unknown`, `corrupt_record` that what is stored cannot
 * be read. One call is applied at most once, however often it travels on its way. The store compares and sets; what a
 * session may do is decided by the service. `colloquy/testing` holds this contract as tests.
 */
export interface SessionStore {
  /** Adds a session without history. A taken id is left as it is. */
  insert(tenant: string, head: SessionHead, state: StateRecord): Answer<'inserted' | 'taken', StoreError>;

  /** The session, or nothing. */
  find<E = never>(
    key: SessionKey,
    size?: ReadSize,
    admit?: Admit<E>,
  ): Answer<SessionRecord | undefined, StoreError | E>;

  /** The state alone, at a cost that does not depend on the history. */
  findState(key: SessionKey): Answer<StateRecord | undefined, StoreError>;

  /** A page, in O(log n + page). */
  list<E = never>(tenant: string, page: PageRange, admit?: Admit<E>): Answer<RecordPage, StoreError | E>;

  /** Puts `next` in place of the state of revision `next.revision - 1`; with any other there, writes nothing: `stale`. */
  replace(key: SessionKey, next: StateRecord): Answer<'replaced' | 'stale' | 'missing', StoreError>;

  /**
   * Adds entries behind those that are there, if the state accepts history at `now` (`acceptsHistoryUntil`). Appends
   * never conflict with one another, and cost the same however long the history is.
   */
  append(key: SessionKey, append: HistoryAppend): Answer<AppendOutcome, StoreError>;

  /** A part of the history, at a cost that depends on what is in it, and not on how long the history is. */
  findEntries(key: SessionKey, slice: HistorySlice): Answer<EntriesOutcome, StoreError>;

  /** Removes the session whole, from every index; with a revision only if its state has that one, else it is `stale`. */
  remove(key: SessionKey, removal?: Removal): Answer<'removed' | 'stale' | 'missing', StoreError>;

  /** What happens to the sessions, where the host has switched that on. */
  readonly events?: EventLog | undefined;

  /**
   * Sessions of all tenants that are due at `now`, at most `limit`: the longest overdue of each tenant, so that a tenant
   * with many holds up none with few. A session is due from its deadline on, and stays due until `reschedule` moves it or
   * it is removed. A change of its state moves it to its new deadline, but for an end by the clock (`isEndByClock`),
   * which leaves it due. The store may give a session that is not due yet: whoever is given it reschedules it.
   *
   * A store may look at a part of itself at a time, and go on behind `after` with the next call. Where nothing is due it
   * has looked at everything within ten calls.
   */
  due(now: number, limit: number, after?: string): Answer<DueSessions, StoreError>;

  /**
   * Moves a session that is due at `from` to another time. One that has not ended is never due later than at its deadline,
   * whatever `to` says, unless it `isDamaged`. `stale`: it was due at another time, or has not moved.
   */
  reschedule(key: SessionKey, rescheduling: Rescheduling): Answer<'moved' | 'stale', StoreError>;

  /**
   * Takes away what earlier deletions have left behind, where the store keeps something of them for a while: in the part
   * that `due` looks at with the same `after`. Called by every sweep with its time. Answers of how many deletions; as many
   * as `limit` or more mean that there may be others.
   */
  purge?(now: number, limit: number, after?: string): Answer<number, StoreError>;
}
