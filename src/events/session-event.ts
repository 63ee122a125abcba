import type { Session } from '../session/session.js';
import type { EndReason } from '../session/session-status.js';

/** What has happened to a session. */
export type SessionEventType =
  | 'session.created'
  | 'session.started'
  | 'session.paused'
  | 'session.resumed'
  | 'session.appended'
  | 'session.terminated'
  | 'session.deleted';

interface EventBase {
  /** The same whenever this event is told again, and another for every other event: for de-duplication. */
  readonly id: string;
  readonly tenant: string;
  readonly sessionId: string;
  /** The number of the change within the session: 1 for its creation, then 2, 3 and so on. */
  readonly sequence: number;
  /** When it took effect: RFC 3339, UTC, milliseconds. */
  readonly at: string;
  /** Where to go on behind this event, with `from`. Of an event in a log: where it stands there. */
  readonly position: string;
}

/** One change of one session. */
export type SessionEvent =
  | (EventBase & { readonly type: Exclude<SessionEventType, 'session.terminated' | 'session.appended'> })
  | (EventBase & { readonly type: 'session.terminated'; readonly endReason: EndReason })
  | (EventBase & {
      readonly type: 'session.appended';
      /** Where the history stands after these entries, as `append` has answered. */
      readonly historyPosition: number;
    });

/** Events of one stream, in the order in which they were told. */
export interface EventPage {
  readonly events: readonly SessionEvent[];
  /** Behind the last event that was looked at. */
  readonly position: string;
  /** Whether events behind the given position are gone: a stream keeps the latest only. */
  readonly isTrimmed: boolean;
}

/** The session as it is: at the beginning, and again wherever events may be missing. */
export interface SessionSnapshot {
  readonly type: 'session.snapshot';
  readonly session: Session;
  /** The number of the last change that is in it; events up to it are not told again. */
  readonly sequence: number;
  /** Where to go on with `from`. */
  readonly position: string;
}

/**
 * The clock will end the session soon. It is computed from the session's deadline, once for each, and stored nowhere: it
 * has no sequence, and does not come again.
 */
export interface SessionExpiring {
  readonly type: 'session.expiring';
  readonly tenant: string;
  readonly sessionId: string;
  /** When it was computed: RFC 3339, UTC, milliseconds. */
  readonly at: string;
  /** When the session ends, unless it is paused, resumed or ended before. */
  readonly endsAt: string;
  /** Why it will end. */
  readonly endReason: EndReason;
  /** That of the item before. */
  readonly position: string;
}

/** What `watch` gives: a snapshot, the events behind it, and with `warnBefore` a warning before the clock ends it. */
export type SessionChange = SessionSnapshot | SessionEvent | SessionExpiring;

/** Events are missing here, as the stream does not keep them any more or never had them. Look again at what matters. */
export interface EventsLost {
  readonly type: 'events_lost';
  readonly position: string;
}

/** What `watchAll` gives. */
export type TenantChange = SessionEvent | EventsLost;

/** An `AbortSignal`, as far as it is needed: declared here, since not every program has the types of one. */
export interface WatchSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** How to watch all sessions of a tenant. */
export interface WatchAllOptions {
  /** The position of an item that `watch` or `watchAll` gave, to go on behind it. Default: from now on. */
  readonly from?: string;
  /** Ends the watch at once, and frees all that it holds. */
  readonly signal?: WatchSignal;
  /**
   * Called once, when the session is known to be there and no change of it is missed any more. That is before the first
   * item, which may be long in coming behind a position.
   */
  readonly onOpen?: () => void;
}

/** How to watch a session. */
export interface WatchOptions extends WatchAllOptions {
  /**
   * Seconds, above 0 and at most 86400: when the clock will end the session in that time, or in less where the watch
   * begins later, `session.expiring` says so. Default: no warning.
   */
  readonly warnBefore?: number;
}
