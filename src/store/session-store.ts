import type { StoreError } from '../errors.js';
import type { EventPage } from '../events/session-event.js';
import type { HistoryEntry, PositionedEntry } from '../session/session.js';
import type { SessionHead, SessionRecord, StateRecord } from '../session/session-record.js';
import type { OpenStatus, SessionStatus } from '../session/session-status.js';
import type { EndQueue } from './end-queue.js';
import type { Answer, SessionKey } from './session-key.js';

export type { Answer, SessionKey } from './session-key.js';

/**
 * Called when the store knows the size of the sessions to read, and before it reads them. Returns the error to return
 * instead, or undefined to continue. `bytes` is approximate: at least the size of the JSON, and at most three times
 * that. A store that has to read more than it has said calls it again, with the size of all it reads.
 */
export type Admit<E> = (bytes: number, sessions: number) => E | undefined;

/** The part of each session to read. */
export interface ReadSize {
  /** Maximum number of the latest entries of each history; 0 for none. Default: all. */
  readonly historyLimit?: number | undefined;
}

/** Input of `SessionStore.append`. */
export interface HistoryAppend {
  /** At least one entry, oldest first. The store keeps them together and in this order. */
  readonly entries: readonly HistoryEntry[];
  /** The caller's time, in milliseconds since the epoch. */
  readonly now: number;
  /** Identifies this append for as long as the session exists. A repeated append with the same id adds nothing. */
  readonly operation?: {
    /** From the caller: 1 to 64 of the characters `A-Z a-z 0-9 _ . ~ : -`. */
    readonly id: string;
    /** A digest of the content: 16 of the characters `A-Z a-z 0-9 _ -`. */
    readonly digest: string;
  };
  /** Appends only if the history ends at this position. */
  readonly ifPosition?: number;
  /** Appends only if the session is leased at `now` by the lease with this fencing token. */
  readonly fencingToken?: number;
  /** Maximum number of entries in the history after the append. Default: no limit. */
  readonly maxEntries?: number;
}

/** The conditions are checked in this order: known operation, missing, closed, not leased, moved, full. */
export type AppendOutcome =
  /**
   * `position` is the position behind these entries: opaque, and the same if the call is repeated. `repeated`: an earlier
   * append with this operation id has added them, and this one wrote nothing.
   */
  | { readonly outcome: 'appended'; readonly position: number; readonly repeated?: true }
  /** An append with this operation id has another digest. Nothing was written. */
  | { readonly outcome: 'mismatch' }
  /** The session accepts no history at `now`; `state` is its state. Nothing was written. */
  | { readonly outcome: 'closed'; readonly state: StateRecord }
  /** No current lease has this fencing token. Nothing was written. */
  | { readonly outcome: 'lease_lost' }
  /** The history ends at `position`, not at `ifPosition`. Nothing was written. */
  | { readonly outcome: 'moved'; readonly position: number }
  /** The history would exceed `maxEntries`. Nothing was written. */
  | { readonly outcome: 'full' }
  | { readonly outcome: 'missing' };

/** The part of a history to read: the first entries behind `after`, or the latest before `before`. */
export type HistorySlice = {
  /** Maximum number of entries, at least 1. */
  readonly limit: number;
  /**
   * Maximum bytes of JSON, approximate: the slice has fewer entries if they would exceed it, but at least one. Default:
   * no limit.
   */
  readonly maxBytes?: number;
} & (
  | {
      /** A position that an append or another slice returned, or 0 for the beginning. */
      readonly after: number;
      readonly before?: never;
    }
  | {
      readonly after?: never;
      /** A position as for `after`. Default: the end of the history. */
      readonly before?: number;
    }
);

/** Outcome of `findEntries`. */
export type EntriesOutcome =
  | {
      readonly outcome: 'found';
      /** Oldest first, each with the position behind it. */
      readonly entries: readonly PositionedEntry[];
      /** The position before the first of the entries, 0 at the beginning of the history; without entries, `position`. */
      readonly start: number;
      /**
       * The position behind the last of the entries. Without entries: the position that was given, or behind the whole
       * history.
       */
      readonly position: number;
      /** Whether there are entries behind `position`. */
      readonly hasMore: boolean;
    }
  /** `after` or `before` is not a position in this history. */
  | { readonly outcome: 'invalid_position' }
  | { readonly outcome: 'missing' };

/** A limit on the sessions of a tenant that are ACTIVE at a time. */
export interface ActiveLimit {
  /** Maximum number of ACTIVE sessions, the changed one included. */
  readonly sessions: number;
  /** The caller's time, in milliseconds since the epoch. A session whose deadline has passed by then does not count. */
  readonly now: number;
}

/** Outcome of `SessionStore.replace`. */
export type Replaced = 'replaced' | 'stale' | 'missing' | 'too_many';

/** Conditions of `SessionStore.remove`. */
export interface Removal {
  /** Removes the session only if its state has this revision. */
  readonly revision?: number;
  /** The caller's time, in milliseconds since the epoch. Default: the machine's time. */
  readonly now?: number;
}

/** A place in a tenant's list of sessions. The session itself may have been deleted. */
export type ListPlace = Pick<SessionHead, 'id' | 'createdAt'>;

/** `newest`: by `createdAt` descending, then by `id` descending. `oldest`: the reverse. */
export type ListOrder = 'newest' | 'oldest';

/** The status of a session at a time. */
export interface StatusAt {
  /** The status to have. */
  readonly status: SessionStatus;
  /**
   * Milliseconds since the epoch. A session whose deadline has passed by then is TERMINATED, even if its end is not
   * stored.
   */
  readonly now: number;
}

/** The sessions of a page. Times have the form of `SessionHead.createdAt`. */
export interface PageRange extends ReadSize {
  /** Number of sessions to skip, from the beginning or from `after`. */
  readonly offset: number;
  /** Maximum number of sessions. */
  readonly limit: number;
  /** Default: `newest`. */
  readonly order?: ListOrder | undefined;
  /** Only sessions with this status at this time. */
  readonly status?: StatusAt | undefined;
  /** Only sessions created later than this time, exclusive. */
  readonly createdAfter?: string | undefined;
  /** Only sessions created earlier than this time, exclusive. */
  readonly createdBefore?: string | undefined;
  /** Only sessions with this label. Never together with `status`. */
  readonly label?: { readonly name: string; readonly value: string } | undefined;
  /** Only sessions behind this place, in the order of the page. */
  readonly after?: ListPlace | undefined;
}

/** One page of a tenant's sessions. */
export interface RecordPage {
  /** The sessions in the order of the page. */
  readonly records: readonly SessionRecord[];
  /** Number of sessions on all pages: those of the tenant that match the range. */
  readonly total: number;
  /** Ids of sessions on this page that cannot be read; they are missing from `records`. */
  readonly unreadable: readonly string[];
  /** The place of the last session on this page, readable or not. Absent if there are no sessions behind it. */
  readonly next?: ListPlace;
}

/** A place among the sessions that nobody holds. The session itself may have been deleted. */
export interface UnleasedPlace {
  /** See `unleasedSince`. */
  readonly since: number;
  /** The id of the session. */
  readonly id: string;
}

/** The sessions that `unleased` reads. */
export interface UnleasedRange {
  /** The status that is stored. */
  readonly status: OpenStatus;
  /** Milliseconds since the epoch: only sessions for which `unleasedSince` is not later. */
  readonly now: number;
  /** Maximum number of sessions. */
  readonly limit: number;
  /** Only sessions behind this place. */
  readonly after?: UnleasedPlace | undefined;
}

/** A part of the sessions that nobody holds. */
export interface UnleasedPage {
  /** By `unleasedSince`, the longest waiting first, then by id; without their histories. */
  readonly records: readonly SessionRecord[];
  /** Ids of sessions on this page that cannot be read; they are missing from `records`. */
  readonly unreadable: readonly string[];
  /** The place of the last session on this page, readable or not. Absent if there are no sessions behind it. */
  readonly next?: UnleasedPlace;
}

/** A session that a sweep must process. */
export interface DueSession extends SessionKey {
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
  /** The `after` of the next call; absent if this was the last part. */
  readonly next?: string;
}

/** Input of `SessionStore.reschedule`. Times are in milliseconds since the epoch. */
export interface Rescheduling {
  /** The `dueAt` that `due` returned for the session. */
  readonly from: number;
  /** When the session is due again; `Infinity` for never. */
  readonly to: number;
  /**
   * Whether a session that has not ended may become due later than its deadline. Set only for a session that cannot be
   * read or ended: lists by status find ends by the clock among the due sessions. Default: false.
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
 * The changes of a store's sessions, in streams that keep the latest events and that all processes of the store share.
 * The store writes the event of a change in the same step as the change: neither exists without the other. A repeated
 * call that the store recognises writes no second event. The events of a session are in the order of their sequence.
 *
 * A position in a stream is `<milliseconds>-<number>`: when the event was logged, by the clock of the log, and a number
 * below 2^64 that distinguishes events of the same millisecond. Positions only increase. `0` is before all of them.
 * Positions never leave the engine, because they would reveal the activity of other tenants.
 */
export interface EventLog {
  /** Called before a watch calls the other methods, for what the log has to know. An error ends the watch. */
  open?(): Answer<void, StoreError>;

  /** The stream that contains a tenant's events. It may also contain events of other tenants. */
  streamOf(tenant: string): string;

  /** The position behind the latest event of a stream. */
  latest(stream: string): Answer<string, StoreError>;

  /**
   * Reads the events behind a position, oldest first, at most `limit`. The position need not belong to an event: `0`, or
   * a time with the number 2^64 - 1. The log may leave out events outside the scope `of`. For position `0`, `isTrimmed` is
   * true if the stream has lost any event. It is also true if the event of the position is gone, because the store was put
   * back to older data; with no events behind the position, the answer then has the position of the latest event.
   */
  read(stream: string, position: string, limit: number, of?: EventScope): Answer<EventPage, StoreError>;

  /**
   * Calls the listener soon after a stream has new events, from any process, until the returned function is called.
   * Without this method, watched streams are polled.
   */
  readonly listen?: ((listener: () => void, stream: string) => () => void) | undefined;

  /** Whether the log can never be read again because its client was closed. Watches then end with an error. */
  isClosed?(): boolean;
}

/**
 * Stores sessions. Every method is atomic, answers within a bounded time, and returns errors as values:
 * `store_unavailable` with the outcome `not_applied` or `unknown` for a write, `corrupt_record` if a stored record
 * cannot be read, `misconfigured` if only a change of the deployment helps. A call is applied at most once, even if the
 * store's client sends it again. The store compares and sets; the service decides what a session may do.
 * `colloquy/testing` contains this contract as tests.
 */
export interface SessionStore {
  /** Adds a session without history. If the id is taken, the existing session stays unchanged. */
  insert(tenant: string, head: SessionHead, state: StateRecord): Answer<'inserted' | 'taken', StoreError>;

  /** Reads the session; undefined if there is none. */
  find<E = never>(
    key: SessionKey,
    size?: ReadSize,
    admit?: Admit<E>,
  ): Answer<SessionRecord | undefined, StoreError | E>;

  /** Reads the state alone. The cost does not depend on the history. */
  findState(key: SessionKey): Answer<StateRecord | undefined, StoreError>;

  /** Reads a page, in O(log n + page). */
  list<E = never>(tenant: string, page: PageRange, admit?: Admit<E>): Answer<RecordPage, StoreError | E>;

  /**
   * Replaces the state with revision `next.revision - 1` by `next`. If the state has another revision, writes nothing
   * and returns `stale`. A later `lastActivityAt` that is stored stays. Another status is a change with an event, and so is
   * a lease that is taken (another fencing token) or released (`releasedAt`), and another time limit: see `changeDetailOf`.
   * Any other replacement, such as a renewed lease, has no event, and the sequence stays. The first TERMINATED state of a
   * session adds its end to `ends` if it has to be reported.
   *
   * `active` is given only if the session becomes ACTIVE. If the tenant has as many ACTIVE sessions already, `too_many`, and
   * writes nothing: exact, however many calls race.
   */
  replace(key: SessionKey, next: StateRecord, active?: ActiveLimit): Answer<Replaced, StoreError>;

  /**
   * Adds entries at the end of the history, if the state accepts history at `now` (`acceptsHistoryUntil`), and moves its
   * `lastActivityAt` to `now` unless it is later. Appends never conflict with each other. The cost does not depend on the length of the history.
   */
  append(key: SessionKey, append: HistoryAppend): Answer<AppendOutcome, StoreError>;

  /** Reads a part of the history. The cost depends on the part, not on the length of the history. */
  findEntries(key: SessionKey, slice: HistorySlice): Answer<EntriesOutcome, StoreError>;

  /**
   * Removes the session completely, from every index. `stale`: the state does not have the given revision. If its end has
   * to be reported and is not, `ends` keeps what the report needs.
   */
  remove(key: SessionKey, removal?: Removal): Answer<'removed' | 'stale' | 'missing', StoreError>;

  /**
   * Reads sessions that have not ended and that nobody holds at a time, in O(log n + page). It goes by what is stored: the
   * clock may have ended some of them. Optional: without it, `unleased` of the service is `misconfigured`.
   */
  readonly unleased?: ((tenant: string, range: UnleasedRange) => Answer<UnleasedPage, StoreError>) | undefined;

  /** The log of changes. Undefined, or `misconfigured` at each call, if the host has not enabled events. */
  readonly events?: EventLog | undefined;

  /** The ends that must be reported. */
  readonly ends: EndQueue;

  /**
   * Sessions of all tenants that are due at `now`, at most `limit`: the longest overdue of each tenant, so that a
   * tenant with many due sessions does not delay the others. A session is due from its deadline on, until `reschedule`
   * moves it or it is removed. A change of the state moves it to the new deadline. A session whose end waits in `ends` is
   * not due until the end is settled. The store may return a session that is not due yet; the caller reschedules it.
   *
   * A store may search one part of its data per call. The next call continues behind `after`. If nothing is due, at
   * most ten calls search all parts.
   */
  due(now: number, limit: number, after?: string): Answer<DueSessions, StoreError>;

  /**
   * Moves a session that is due at `from` to another time. A session that has not ended never becomes due later than
   * its deadline, whatever `to` is, unless it `isDamaged`. `stale`: the session was due at another time, or did not
   * move.
   */
  reschedule(key: SessionKey, rescheduling: Rescheduling): Answer<'moved' | 'stale', StoreError>;
}
