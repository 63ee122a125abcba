import type { SessionSnapshot } from '../events/change.js';
import type { SessionEvent } from '../events/event.js';
import type { EndReason } from '../status.js';
import type { HandlerError } from './errors.js';

/** The id of a stream's last event. Who comes back with it has seen everything. */
export const END_ID = 'end';

/** How long a browser waits before it comes back, in milliseconds. */
export const preamble = 'retry: 1000\n\n';

export const heartbeatLine = ': heartbeat\n\n';

interface Frame {
  readonly id?: string;
  readonly event: string;
  /** JSON. */
  readonly data: string;
}

/** One event as `text/event-stream` has it. A line break in JSON stands between its tokens only, and can go. */
const frame = ({ id, event, data }: Frame): string => {
  const place = id === undefined ? '' : `id: ${id}\n`;
  return `${place}event: ${event}\ndata: ${data.replace(/[\r\n]+/g, '')}\n\n`;
};

/** `json` is the session, as the get operation writes it. */
export const snapshotFrame = ({ type, position }: SessionSnapshot, json: string): string =>
  frame({ id: position, event: type, data: json });

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

/** Without data a browser would pass it over. A session that was deleted has no reason. */
export const endFrame = (reason: EndReason | undefined): string =>
  frame({ id: END_ID, event: 'end', data: JSON.stringify({ end_reason: reason }) });

/** Has no id: who comes back goes on behind the last event. */
export const unavailableFrame = ({ type }: HandlerError): string =>
  frame({ event: 'unavailable', data: JSON.stringify({ code: type }) });
