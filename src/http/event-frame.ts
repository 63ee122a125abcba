import { changeData, END_ID, streamEnd, streamUnavailable } from '../endpoints/event-shapes.js';
import type { SessionForm } from '../endpoints/wire-session.js';
import { sent } from '../schema/wire.js';
import type { SessionChange } from '../session/session-event.js';
import type { EndReason } from '../session/session-status.js';
import type { HandlerError } from './handler-error.js';

/** `no-transform` and `X-Accel-Buffering` keep compressors and proxies from delaying events. */
export const streamHeaders = Object.freeze({
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
});

/**
 * Sets the milliseconds after which a browser reconnects. No empty line follows, because some
 * clients would read it as an event without data.
 */
export const preamble = 'retry: 1000\n';

export const heartbeatLine = ': heartbeat\n';

export const frame = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** A reconnecting client sends the id, to continue after this event. */
const frameWithId = (id: string, event: string, data: unknown): string =>
  `id: ${id}\n${frame(event, data)}`;

const dataOf = (form: SessionForm, change: SessionChange): unknown => {
  const waiting = form.messages && 'messages' in change && { messages: change.messages };
  switch (change.type) {
    case 'session.snapshot':
      return { ...form.snapshot(change.session), ...waiting };
    case 'session.changed': {
      const { type, session, entries, sequence } = change;
      return { type, session: form.summary(session), entries, ...waiting, sequence };
    }
    case 'session.expiring':
      return sent(changeData['session.expiring'], change);
    case 'session.deleted':
      return { type: change.type };
  }
};

export const changeFrame = (form: SessionForm, change: SessionChange): string =>
  frameWithId(change.cursor, change.type, dataOf(form, change));

export const endFrame = (endReason: EndReason | undefined): string =>
  frameWithId(END_ID, 'end', sent(streamEnd, { ...(endReason && { endReason }) }));

/** Without an id, so that a client that reconnects continues after the last event. */
export const unavailableFrame = ({ type }: HandlerError): string =>
  frame('unavailable', sent(streamUnavailable, { code: type }));
