import { END_ID, eventShapes, streamEnd, streamUnavailable } from '../operations/event-shapes.js';
import type { SessionForm } from '../operations/session-form.js';
import type { Shape } from '../operations/shape.js';
import type { SessionEvent, SessionExpiring, SessionSnapshot } from '../session/session-event.js';
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

const END_OF_EVENT = '\n\n';

/** The part of a Server-Sent Event before its data. */
const headOf = (event: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: `;

const frame = (event: string, data: unknown, id?: string): string =>
  `${headOf(event, id)}${JSON.stringify(data)}${END_OF_EVENT}`;

/** A warning has the id of the event before it, so a client that reconnects continues after that event. */
export const eventFrame = (event: SessionEvent | SessionExpiring): string => {
  const shape: Shape<unknown> = eventShapes[event.type];
  return frame(event.type, shape.write(event), event.position);
};

export const endFrame = (endReason: EndReason | undefined): string =>
  frame('end', streamEnd.write({ endReason }), END_ID);

/** Without an id, so that a client that reconnects continues after the last event. */
export const unavailableFrame = ({ type }: HandlerError): string =>
  frame('unavailable', streamUnavailable.write({ code: type }));

/** Maximum bytes of the texts that streams are sending. A text that several streams share counts once. */
const MAX_HELD_BYTES = 128 * 1024 * 1024;

/** Maximum bytes of the texts that were sent and are cached for other streams. */
const MAX_IDLE_BYTES = 16 * 1024 * 1024;

/** The event of a snapshot. */
export interface SnapshotFrame {
  readonly head: string;
  /** The session's JSON before its duration, shared with other streams. */
  readonly shared: Uint8Array;
  readonly end: string;
  /** Releases the shared part. */
  release(): void;
}

/** The JSON of a session without its end. */
interface Text {
  readonly shared: Uint8Array;
  readonly forget: () => void;
  holders: number;
}

const encoder = new TextEncoder();

/**
 * Creates the events of snapshots. All streams that send a session as of the same change share one text, without the
 * fields that change with time, because creating the text of a large session takes longer than sending it.
 */
export class SnapshotFrames {
  readonly #texts = new Map<SessionForm, Map<string, Text>>();
  /** Texts that no stream holds, oldest first. */
  readonly #idle = new Set<Text>();
  #heldBytes = 0;
  #idleBytes = 0;

  /**
   * The event of a snapshot; undefined if it would exceed `MAX_HELD_BYTES`. If no other text is being sent, any size is
   * allowed.
   */
  hold(form: SessionForm, tenant: string, snapshot: SessionSnapshot): SnapshotFrame | undefined {
    const text = this.#textOf(form, tenant, snapshot);
    const bytes = text.shared.length;
    if (text.holders === 0) {
      if (this.#idle.delete(text)) this.#idleBytes -= bytes;
      if (this.#heldBytes > 0 && this.#heldBytes + bytes > MAX_HELD_BYTES) {
        this.#leaveIdle(text);
        return undefined;
      }
      this.#heldBytes += bytes;
    }
    text.holders += 1;
    return {
      head: headOf(snapshot.type, snapshot.position),
      shared: text.shared,
      end: `${JSON.stringify(form.more(snapshot.session)).slice(1)}${END_OF_EVENT}`,
      release: () => {
        text.holders -= 1;
        if (text.holders > 0) return;
        this.#heldBytes -= bytes;
        this.#leaveIdle(text);
      },
    };
  }

  #textOf(form: SessionForm, tenant: string, { session, sequence }: SessionSnapshot): Text {
    const texts = this.#texts.get(form) ?? new Map<string, Text>();
    this.#texts.set(form, texts);
    const { id, createdAt, status } = session;
    const key = JSON.stringify([tenant, id, createdAt, sequence, status, session.history.length]);
    const known = texts.get(key);
    if (known !== undefined) return known;
    const shared = encoder.encode(`${JSON.stringify(form.snapshot(session)).slice(0, -1)},`);
    const text = { shared, forget: () => texts.delete(key), holders: 0 };
    texts.set(key, text);
    return text;
  }

  #leaveIdle(text: Text): void {
    this.#idle.add(text);
    this.#idleBytes += text.shared.length;
    for (const oldest of this.#idle) {
      if (this.#idleBytes <= MAX_IDLE_BYTES) return;
      this.#idle.delete(oldest);
      this.#idleBytes -= oldest.shared.length;
      oldest.forget();
    }
  }
}
