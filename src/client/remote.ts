import type { SessionEvent, SessionExpiring, SessionSnapshot } from '../events/event.js';
import type { SessionPage } from '../service/list-sessions.js';
import type { HistoryEntry, SessionOptions } from '../session/session.js';
import type { SessionStatus } from '../status.js';

/**
 * A session as the interface has it: six fields, and so not why it has ended. `terminate` answers that, also of a session
 * that had ended before. Every `Session` of the library is one of these.
 */
export interface RemoteSession {
  readonly id: string;
  readonly status: SessionStatus;
  /** Whole seconds spent ACTIVE so far, rounded down. */
  readonly duration: number;
  readonly options: SessionOptions;
  /** Oldest first. */
  readonly history: readonly HistoryEntry[];
  /** RFC 3339, UTC, milliseconds. */
  readonly createdAt: string;
}

/** A session that was created just now, or earlier under the same key: the interface tells its id. */
export type RemoteCreated = Pick<RemoteSession, 'id'>;

export type RemotePage = Omit<SessionPage, 'sessions'> & { readonly sessions: readonly RemoteSession[] };

/** The session as it is: at the beginning, and again wherever events may be missing. */
export interface RemoteSnapshot extends Omit<SessionSnapshot, 'session' | 'sequence'> {
  readonly session: RemoteSession;
}

type WithoutTenant<E> = E extends SessionEvent ? Omit<E, 'tenant'> : never;

/** One change of the session; the tenant is the one that the API key belongs to. */
export type RemoteEvent = WithoutTenant<SessionEvent>;

/** The clock will end the session soon. */
export type RemoteExpiring = Omit<SessionExpiring, 'tenant'>;

/** What `watch` gives: a snapshot, the events behind it, and with `warnBefore` a warning before the clock ends it. */
export type RemoteChange = RemoteSnapshot | RemoteEvent | RemoteExpiring;
