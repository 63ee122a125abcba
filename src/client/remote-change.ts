import type { SessionEvent, SessionSnapshot } from '../events/event.js';
import type { RemoteSession } from '../operations/outputs.js';

/** The session as it is: at the beginning, and again wherever events may be missing. */
export interface RemoteSnapshot extends Omit<SessionSnapshot, 'session' | 'sequence'> {
  readonly session: RemoteSession;
}

type WithoutTenant<E> = E extends SessionEvent ? Omit<E, 'tenant'> : never;

/** One change of the session; the tenant is the one that the API key belongs to. */
export type RemoteEvent = WithoutTenant<SessionEvent>;

/** What `watch` gives: a snapshot, and the events behind it. */
export type RemoteChange = RemoteSnapshot | RemoteEvent;
