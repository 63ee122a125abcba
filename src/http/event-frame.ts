import type { SessionEvent, SessionExpiring, SessionSnapshot } from '../events/session-event.js';
import { END_ID, eventShapes, streamEnd, streamUnavailable } from '../operations/event-shapes.js';
import type { Shape } from '../operations/shape.js';
import type { EndReason } from '../session/session-status.js';
import type { HandlerError } from './handler-error.js';

/** `no-transform` and `X-Accel-Buffering` keep compressors and proxies from delaying events. */
export const streamHeaders = Object.freeze({
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
});

/**
 * Sets the milliseconds after which a browser reconnects. No empty line follows, because some clients would take it for
 * an event without data.
 */
export const preamble = 'retry: 1000\n';

export const heartbeatLine = ': heartbeat\n';

interface Frame {
  readonly id?: string;
  readonly event: string;
  /** JSON without line breaks. */
  readonly data: string;
}

/** Removes line breaks, which JSON contains only between tokens: a line break would end the data of the event. */
export const oneLine = (json: string): string => json.replace(/[\r\n]+/g, '');

/** The part of a Server-Sent Event before its data. */
const headOf = ({ id, event }: Omit<Frame, 'data'>): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: `;

export const endOfEvent = '\n\n';

const frame = (event: Frame): string => `${headOf(event)}${event.data}${endOfEvent}`;

/** The part of a snapshot event before its data, which is the session. */
export const snapshotHead = ({ type, position }: SessionSnapshot): string => headOf({ id: position, event: type });

/** A warning has the id of the event before it, so a client that reconnects continues after that event. */
export const eventFrame = (event: SessionEvent | SessionExpiring): string => {
  const shape: Shape<unknown> = eventShapes[event.type];
  return frame({ id: event.position, event: event.type, data: JSON.stringify(shape.write(event)) });
};

export const endFrame = (endReason: EndReason | undefined): string =>
  frame({ id: END_ID, event: 'end', data: JSON.stringify(streamEnd.write({ endReason })) });

/** Has no id, so a client that reconnects continues after the last event. */
export const unavailableFrame = ({ type }: HandlerError): string =>
  frame({ event: 'unavailable', data: JSON.stringify(streamUnavailable.write({ code: type })) });
