import type { EventSourceMessage } from 'eventsource-parser';
import { changeData } from '../operations/event-shapes.js';
import { type RemoteSession, type RemoteSummary, session } from '../operations/outputs.js';
import { received } from '../schema/received.js';
import type {
  SessionChanged,
  SessionDeleted,
  SessionExpiring,
  SessionSnapshot,
} from '../session/session-event.js';
import { parseWatchCursor } from '../session/watch-cursor.js';
import { parseJson } from './read-reply.js';

/**
 * The current session: the first item, and again where the changes cannot be told as new entries.
 */
export interface RemoteSnapshot extends Omit<SessionSnapshot, 'session' | 'sequence'> {
  /** The session with its history, or with its latest entries. */
  readonly session: RemoteSession;
}

/** The session has changed since the last item, once or more often. */
export interface RemoteChanged extends Omit<SessionChanged, 'session'> {
  /**
   * The session after the changes, without its history. If it is TERMINATED, this is the last item.
   */
  readonly session: RemoteSummary;
}

/** The session was deleted. The last item. */
export type RemoteDeleted = Omit<SessionDeleted, 'tenant'>;

/** A warning that the clock will end the session. */
export type RemoteExpiring = Omit<SessionExpiring, 'tenant'>;

/**
 * An item of `watch`: a snapshot, what has changed since, or with `warnBefore` a warning before the
 * end.
 */
export type RemoteChange = RemoteSnapshot | RemoteChanged | RemoteDeleted | RemoteExpiring;

/** Whether an event of a stream is a change. A later version may send other events. */
export const isChange = (type: string): type is RemoteChange['type'] =>
  type === 'session.snapshot' || Object.hasOwn(changeData, type);

/** Parses a change of a session; undefined if it is not from the service. */
export const readChange = (
  sessionId: string,
  type: RemoteChange['type'],
  { id: cursor = '', data }: EventSourceMessage,
): RemoteChange | undefined => {
  const known = parseWatchCursor(cursor);
  if (known === undefined) return undefined;
  const { position } = known;
  const value = parseJson(data);
  switch (type) {
    case 'session.snapshot': {
      const found = received(session, value);
      return found && { type, session: found, position, cursor };
    }
    case 'session.changed': {
      const found = received(changeData[type], value);
      return found && { ...found, position, cursor };
    }
    case 'session.deleted': {
      const found = received(changeData[type], value);
      return found && { ...found, sessionId, cursor };
    }
    case 'session.expiring': {
      const found = received(changeData[type], value);
      return found && { ...found, sessionId, cursor };
    }
  }
};
