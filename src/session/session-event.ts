import type { Message } from './message.js';
import type { Counters, PositionedEntry, Session } from './session.js';
import type { SessionSchemas } from './session-schemas.js';
import type { EndReason } from './session-status.js';

/** The type of a change of a session. */
export type SessionEventType =
  | 'session.created'
  | 'session.started'
  | 'session.paused'
  | 'session.resumed'
  | 'session.extended'
  | 'session.updated'
  | 'session.redacted'
  | 'session.appended'
  | 'session.leased'
  | 'session.released'
  | 'session.woken'
  | 'session.sent'
  | 'session.withdrawn'
  | 'session.spent'
  | 'session.cancelled'
  | 'session.exhausted'
  | 'session.terminated'
  | 'session.deleted';

/** The fields of every event. */
export interface EventBase {
  /**
   * Unique for each event, and the same if the event is delivered again; use it to remove
   * duplicates.
   */
  readonly id: string;
  /** The tenant of the session. */
  readonly tenant: string;
  /** The id of the session. */
  readonly sessionId: string;
  /** Number of the change within the session: 1 for its creation, then 2, 3 and so on. */
  readonly sequence: number;
  /** When the change took effect: RFC 3339, UTC, milliseconds. */
  readonly at: string;
  /** The position of the event in its log. */
  readonly position: string;
}

/** The types of the events without details. */
export type PlainEventType = Exclude<
  SessionEventType,
  | 'session.extended'
  | 'session.updated'
  | 'session.redacted'
  | 'session.terminated'
  | 'session.appended'
  | 'session.leased'
  | 'session.released'
>;

/** One change of one session. There is no event when a lease is renewed or runs out. */
export type SessionEvent =
  | (EventBase & { readonly type: PlainEventType })
  | (EventBase & {
      /** Whether the lease was taken or released. */
      readonly type: 'session.leased' | 'session.released';
      /** The fencing token of the lease. Its holder is in the session, and not in the log. */
      readonly fencingToken: number;
    })
  | (EventBase & {
      readonly type: 'session.terminated';
      /** Why it has ended. */
      readonly endReason: EndReason;
      /** The sums of its counters. Absent for a session without any. */
      readonly usage?: Counters;
    })
  | (EventBase & {
      readonly type: 'session.extended';
      /** The new time limit in seconds; 0 for none. */
      readonly timeLimit: number;
      /**
       * When the session will expire, unless a command changes this; absent if it will not.
       * RFC 3339, UTC, milliseconds.
       */
      readonly endsAt?: string;
    })
  | (EventBase & {
      readonly type: 'session.redacted';
      /** The positions of the redacted entries. */
      readonly positions: readonly number[];
    })
  | (EventBase & {
      readonly type: 'session.updated';
      /**
       * The names of the labels that were set or removed, sorted. The log outlives the session, so
       * it contains no values: ask `watchAll` for the session. A store may return none after the
       * session was deleted.
       */
      readonly labelsChanged: readonly string[];
      /** Present if the metadata has changed. */
      readonly metadataChanged?: true;
    })
  | (EventBase & {
      readonly type: 'session.appended';
      /** The position before these entries: a history part `after` it begins with them. */
      readonly start: number;
      /** The position in the history after these entries, as `append` or `rewind` returned it. */
      readonly historyPosition: number;
      /**
       * Present after a rewind: the position that these entries follow. The entries that followed
       * it before are superseded.
       */
      readonly rewoundTo?: number;
    });

/** Events of one stream, in the order in which they were logged. */
export interface EventPage {
  /** Oldest first. */
  readonly events: readonly SessionEvent[];
  /** The position after the last event that was read. */
  readonly position: string;
  /**
   * Whether events after the given position are gone: a stream keeps only the latest, and a store
   * may lose data.
   */
  readonly isTrimmed: boolean;
}

/**
 * The current session: the first item, and again when the changes since the last item are more than
 * new entries.
 */
export interface SessionSnapshot<out T extends SessionSchemas = SessionSchemas> {
  readonly type: 'session.snapshot';
  /** The session with its history, or with its latest entries. */
  readonly session: Session<T>;
  /** The messages that wait for a turn, oldest first. Absent if none do. */
  readonly messages?: readonly Message[];
  /** Number of the last change in the snapshot. */
  readonly sequence: number;
  /** The position at the end of the history. */
  readonly position: number;
  /** Pass it as `cursor` to continue after this snapshot. */
  readonly cursor: string;
}

/** A session without its history. */
export type SessionSummary<T extends SessionSchemas = SessionSchemas> = Omit<Session<T>, 'history'>;

/** The session has changed since the last item, once or more often. */
export interface SessionChanged<out T extends SessionSchemas = SessionSchemas> {
  readonly type: 'session.changed';
  /** The session after the changes. If it is TERMINATED, this is the last item. */
  readonly session: SessionSummary<T>;
  /** The entries that were added at the end of the history, oldest first; may be empty. */
  readonly entries: readonly PositionedEntry<T>[];
  /** The messages that wait for a turn after the changes, oldest first. Absent if none do. */
  readonly messages?: readonly Message[];
  /** Number of the last change. */
  readonly sequence: number;
  /** The position at the end of the history. */
  readonly position: number;
  /** Pass it as `cursor` to continue after this item. */
  readonly cursor: string;
}

/** The session was deleted. The last item. */
export interface SessionDeleted {
  readonly type: 'session.deleted';
  /** The tenant of the session. */
  readonly tenant: string;
  /** The id of the session. */
  readonly sessionId: string;
  /** The cursor of the previous item. */
  readonly cursor: string;
}

/**
 * The session will expire soon, or a budget will end it. The warning is computed once per deadline or
 * budget and not stored: it is not repeated.
 */
export interface SessionExpiring {
  readonly type: 'session.expiring';
  /** The tenant of the session. */
  readonly tenant: string;
  /** The id of the session. */
  readonly sessionId: string;
  /** When the warning was computed: RFC 3339, UTC, milliseconds. */
  readonly at: string;
  /**
   * When the session ends, unless it is paused, resumed, extended or ended before: RFC 3339, UTC,
   * milliseconds. Absent if a budget will end it.
   */
  readonly endsAt?: string;
  /** Why the session will end. */
  readonly endReason: EndReason;
  /** The counter of the budget that will end it. Absent if it will expire. */
  readonly counter?: string;
  /** The cursor of the previous item. */
  readonly cursor: string;
}

/**
 * An item of `watch`: a snapshot, what has changed since, or a warning before the end
 * (`warnBefore`, `warnAt`).
 */
export type SessionChange<T extends SessionSchemas = SessionSchemas> =
  | SessionSnapshot<T>
  | SessionChanged<T>
  | SessionDeleted
  | SessionExpiring;

interface TenantEventParts<T extends SessionSchemas> {
  /** Pass it as `cursor` to continue after this event. */
  readonly cursor: string;
  /**
   * With `sessions: true`: the session as it is when the event is delivered, so it may show later
   * changes too. Absent if the session was deleted, or cannot be read.
   */
  readonly session?: SessionSummary<T>;
}

interface AppendedParts<T extends SessionSchemas> {
  /**
   * With `entries: true`: the entries of this append, without those that were superseded since.
   * Absent if the session was deleted, or cannot be read.
   */
  readonly entries?: readonly PositionedEntry<T>[];
  /**
   * True if this append has more entries: `entries` has at most 1,000, or about 1 MB. `history`
   * reads the others, after the position of the last one.
   */
  readonly hasMore?: true;
}

type ToTenant<E extends SessionEvent, T extends SessionSchemas> = Omit<E, 'position'> &
  TenantEventParts<T> &
  (E extends { readonly type: 'session.appended' } ? AppendedParts<T> : unknown);

type EachToTenant<E, T extends SessionSchemas> = E extends SessionEvent ? ToTenant<E, T> : never;

/** A change of a session of the tenant. */
export type TenantEvent<T extends SessionSchemas = SessionSchemas> = EachToTenant<SessionEvent, T>;

/**
 * Events are missing here: they were trimmed from the stream, or the store was restored from older
 * data. Read the sessions that you need again.
 */
export interface EventsLost {
  readonly type: 'events_lost';
  /** Pass it as `cursor` to continue after the missing events. */
  readonly cursor: string;
}

/** An item of `watchAll`. */
export type TenantChange<T extends SessionSchemas = SessionSchemas> = TenantEvent<T> | EventsLost;

/** The part of an `AbortSignal` that a watch needs. An `AbortSignal` of any runtime fits. */
export interface WatchSignal {
  /** As in `AbortSignal`. */
  readonly aborted: boolean;
  /** As in `AbortSignal`. */
  addEventListener(type: 'abort', listener: () => void): void;
  /** As in `AbortSignal`. */
  removeEventListener(type: 'abort', listener: () => void): void;
}

interface WatchOptionsBase {
  /** Ends the watch immediately and frees its resources. */
  readonly signal?: WatchSignal | undefined;
  /**
   * Called once, before the first item, when the watch is open: it misses no change from then on,
   * and `watch` has found its session.
   */
  readonly onOpen?: (() => void) | undefined;
  /**
   * Report leases that are taken or released, and wakes, as changes. Default: false, so
   * that a worker that leases a session because of an item does not cause the next one.
   */
  readonly leases?: boolean | undefined;
}

/**
 * Options of `watchAll`.
 *
 * @example
 * ```ts
 * for await (const item of sessions.watchAll({ cursor: '0', entries: true, sessions: true })) {
 *   if (item.isErr() || item.value.type !== 'session.appended') continue;
 *   const { entries = [], session } = item.value;
 *   console.log(session?.status, entries.length); // ACTIVE 2
 *   break;
 * }
 * ```
 */
export interface WatchAllOptions extends WatchOptionsBase {
  /**
   * The cursor of an item of `watchAll` or of a page of `list`, to continue after it; `0` for the
   * oldest event that is kept. Default: now, which is when `watchAll` is called; changes of the
   * milliseconds before may come too.
   */
  readonly cursor?: string | undefined;
  /** Include the entries of each append. Costs a read for each append. Default: false. */
  readonly entries?: boolean | undefined;
  /**
   * Include the current session in each event. Costs a read for each event. Default:
   * false.
   */
  readonly sessions?: boolean | undefined;
}

/**
 * Options of `watch`.
 *
 * @example
 * ```ts
 * let cursor = '';
 * for await (const item of sessions.orThrow.watch(id, { historyLimit: 0 })) {
 *   cursor = item.cursor; // keep it, to continue after this item
 *   break;
 * }
 * await sessions.orThrow.terminate(id);
 * const rest = sessions.orThrow.watch(id, { cursor });
 * for await (const { type } of rest) console.log(type); // session.changed
 * ```
 *
 * @example
 * ```ts
 * const changes = sessions.orThrow.watch(id, {
 *   warnBefore: 60,
 *   warnAt: 0.8,
 *   leases: true,
 *   signal: AbortSignal.timeout(600_000),
 *   onOpen: () => console.info('watching', id),
 * });
 * for await (const { type } of changes) if (type === 'session.snapshot') break;
 * ```
 */
export interface WatchOptions extends WatchOptionsBase {
  /**
   * The cursor of an item of a watch of this session, to continue after it. Default: begins with a
   * snapshot.
   */
  readonly cursor?: string | undefined;
  /**
   * Seconds before the end of the session at which `session.expiring` is delivered, above 0 and at
   * most 86400. A watch that begins later delivers it immediately. Default: no warning.
   */
  readonly warnBefore?: number | undefined;
  /**
   * The share of a budget at which `session.expiring` is delivered, above 0 and at most 1; with 1,
   * there is no warning. Each budget has one warning, and a second warning after it was extended.
   * Default: 0.9.
   */
  readonly warnAt?: number | undefined;
  /** Maximum number of the latest history entries in a snapshot, from 0. Default: all. */
  readonly historyLimit?: number | undefined;
}
