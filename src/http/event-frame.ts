import type { SessionEvent, SessionExpiring, SessionSnapshot } from '../events/session-event.js';
import { END_ID, eventShapes, streamEnd, streamUnavailable } from '../operations/event-shapes.js';
import type { Shape } from '../operations/shape.js';
import type { EndReason } from '../session/session-status.js';
import type { HandlerError } from './handler-error.js';

/** `no-transform` and the last one keep compressors and proxies from holding events back. */
export const streamHeaders = Object.freeze({
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
});

/**
 * Tells a browser after how many milliseconds to come back. No empty line follows: some clients would take it for an event
 * without data.
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

/** The id of a warning is that of the event before it: a client that comes back goes on behind that one. */
export const eventFrame = (event: SessionEvent | SessionExpiring): string => {
  const shape: Shape<unknown> = eventShapes[event.type];
  return frame({ id: event.position, event: event.type, data: JSON.stringify(shape.write(event)) });
};

export const endFrame = (endReason: EndReason | undefined): string =>
  frame({ id: END_ID, event: 'end', data: JSON.stringify(streamEnd.write({ endReason })) });

/** Has no id: a client that comes back goes on behind the last event. */
export const unavailableFrame = ({ type }: HandlerError): string =>
  frame({ event: 'unavailable', data: JSON.stringify(streamUnavailable.write({ code: type })) });
