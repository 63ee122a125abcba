import type { Session } from '../session/session.js';
import type { SessionEvent } from './event.js';
import type { Position } from './position.js';

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

/** How to watch, read. */
export interface WatchSettings {
  readonly from: Position | undefined;
  readonly signal: WatchSignal | undefined;
  readonly onOpen: () => void;
}
