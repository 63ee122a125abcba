import type { Session } from '../session/session.js';
import type { EndReason } from '../status.js';

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

/** One change of one session. Told at least once, in order within the session. */
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

/** What `watch` gives: a snapshot, and the events behind it. */
export type SessionChange = SessionSnapshot | SessionEvent;

/** Events were not kept long enough, or came faster than they were taken: look again at what matters, and go on. */
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

/** How to watch. */
export interface WatchOptions {
  /** The position of an event or of a snapshot, to go on behind it. Default: from now on. */
  readonly from?: string;
  /** Ends the watching, and frees all that it holds. */
  readonly signal?: WatchSignal;
  /**
   * Called once, when the session is known to be there and nothing that it does is missed any more. That is before the
   * first item, which may be long in coming behind a position.
   */
  readonly onOpen?: () => void;
}
