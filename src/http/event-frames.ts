import type { SessionEvent, SessionExpiring, SessionSnapshot } from '../events/event.js';
import type { EndReason } from '../status.js';
import type { HandlerError } from './errors.js';

/** The id of a stream's last event. Who comes back with it has seen everything. */
export const END_ID = 'end';

/**
 * How long a browser waits before it comes back, in milliseconds. No empty line follows what is no event: some clients
 * take it for an event without data.
 */
export const preamble = 'retry: 1000\n';

export const heartbeatLine = ': heartbeat\n';

interface Frame {
  readonly id?: string;
  readonly event: string;
  /** JSON in one line. */
  readonly data: string;
}

/** JSON without its line breaks, which stand between its tokens only: one would end the data of an event. */
export const oneLine = (json: string): string => json.replace(/[\r\n]+/g, '');

/** What stands around the data of an event in `text/event-stream`. */
const headOf = ({ id, event }: Omit<Frame, 'data'>): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: `;

export const endOfEvent = '\n\n';

const frame = (event: Frame): string => `${headOf(event)}${event.data}${endOfEvent}`;

/** What stands in front of the session, which is its data. */
export const snapshotHead = ({ type, position }: SessionSnapshot): string => headOf({ id: position, event: type });

export const eventFrame = (event: SessionEvent): string => {
  const { id, type, sequence, at, position } = event;
  const data = {
    id,
    type,
    sequence,
    at,
    ...(event.type === 'session.terminated' ? { end_reason: event.endReason } : {}),
    ...(event.type === 'session.appended' ? { position: event.historyPosition } : {}),
  };
  return frame({ id: position, event: type, data: JSON.stringify(data) });
};

/** Its id is that of the event before: who comes back goes on behind that one. */
export const expiringFrame = ({ type, at, endsAt, endReason, position }: SessionExpiring): string =>
  frame({ id: position, event: type, data: JSON.stringify({ type, at, ends_at: endsAt, end_reason: endReason }) });

/** Without data a browser would pass it over. A session that was deleted has no reason. */
export const endFrame = (reason: EndReason | undefined): string =>
  frame({ id: END_ID, event: 'end', data: JSON.stringify({ end_reason: reason }) });

/** Has no id: who comes back goes on behind the last event. */
export const unavailableFrame = ({ type }: HandlerError): string =>
  frame({ event: 'unavailable', data: JSON.stringify({ code: type }) });
