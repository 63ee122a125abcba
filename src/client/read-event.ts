import type { EventSourceMessage } from 'eventsource-parser';
import { isPosition } from '../events/position.js';
import type { SessionEvent, SessionExpiring, SessionSnapshot } from '../events/session-event.js';
import { eventShapes, streamUnavailable } from '../operations/event-shapes.js';
import { type RemoteSession, session } from '../operations/outputs.js';
import { parseJson } from './parse-json.js';

/** The current session: the first item, and again wherever events may be missing. */
export interface RemoteSnapshot extends Omit<SessionSnapshot, 'session' | 'sequence'> {
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

/** One parsed event of the stream. */
export type ReadEvent =
  | { readonly kind: 'change'; readonly change: RemoteChange }
  | { readonly kind: 'end' }
  | { readonly kind: 'unavailable'; readonly code: string }
  /** An event type of a later version. */
  | { readonly kind: 'other' }
  | { readonly kind: 'broken' };

const broken: ReadEvent = { kind: 'broken' };

const isEvent = (name: string): name is keyof typeof eventShapes => Object.hasOwn(eventShapes, name);

/** Parses an event of a session's stream. */
export const readEvent = (sessionId: string, { id: position, event = '', data }: EventSourceMessage): ReadEvent => {
  if (event === 'end') return { kind: 'end' };
  const value = parseJson(data);
  if (event === 'unavailable') {
    const unavailable = streamUnavailable.read(value);
    return unavailable === undefined ? broken : { kind: 'unavailable', code: unavailable.code };
  }
  if (!event.startsWith('session.')) return { kind: 'other' };
  if (position === undefined || !isPosition(position)) return broken;
  if (event === 'session.snapshot') {
    const found = session.read(value);
    return found === undefined ? broken : { kind: 'change', change: { type: event, session: found, position } };
  }
  if (!isEvent(event)) return { kind: 'other' };
  const found = eventShapes[event].read(value);
  if (found === undefined || found.type !== event) return broken;
  return { kind: 'change', change: { ...found, sessionId, position } };
};
