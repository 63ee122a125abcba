import type { EventSourceMessage } from 'eventsource-parser';
import { eventShapes } from '../operations/event-shapes.js';
import { type RemoteSession, session } from '../operations/outputs.js';
import { isPosition } from '../session/event-position.js';
import type { SessionEvent, SessionExpiring, SessionSnapshot } from '../session/session-event.js';
import { parseJson } from './read-reply.js';

/** The current session: the first item, and again wherever events may be missing. */
export interface RemoteSnapshot extends Omit<SessionSnapshot, 'session' | 'sequence'> {
  /** The session with its history, or with its latest entries. */
  readonly session: RemoteSession;
}

type WithoutTenant<E> = E extends SessionEvent ? Omit<E, 'tenant'> : never;

/** One change of the session, without the tenant, which is that of the API key. */
export type RemoteEvent = WithoutTenant<SessionEvent>;

/** A warning that the clock will end the session. */
export type RemoteExpiring = Omit<SessionExpiring, 'tenant'>;

/**
 * An item of `watch`: a snapshot, an event after it, or with `warnBefore` a warning before the clock ends the session.
 */
export type RemoteChange = RemoteSnapshot | RemoteEvent | RemoteExpiring;

/** Whether an event of a stream is a change. A later version may send other events. */
export const isChange = (type: string): type is RemoteChange['type'] =>
  type === 'session.snapshot' || Object.hasOwn(eventShapes, type);

/** Parses a change of a session; undefined if it is not from the service. */
export const readChange = (
  sessionId: string,
  type: RemoteChange['type'],
  { id: position = '', data }: EventSourceMessage,
): RemoteChange | undefined => {
  if (!isPosition(position)) return undefined;
  const value = parseJson(data);
  if (type === 'session.snapshot') {
    const found = session.read(value);
    return found && { type, session: found, position };
  }
  const found = eventShapes[type].read(value);
  return found?.type === type ? { ...found, sessionId, position } : undefined;
};
