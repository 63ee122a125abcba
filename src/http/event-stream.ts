import type { Result } from 'neverthrow';
import type { WatchError } from '../errors.js';
import { storeUnavailable } from '../errors.js';
import type { SessionChange, SessionSnapshot } from '../events/session-event.js';
import { watch } from '../operations/event-shapes.js';
import type { EndReason } from '../session/session-status.js';
import { inClientTerms } from './answer-of.js';
import {
  endFrame,
  endOfEvent,
  eventFrame,
  heartbeatLine,
  preamble,
  snapshotHead,
  unavailableFrame,
} from './event-frame.js';
import type { HandlerError } from './handler-error.js';
import { Heartbeats, heartbeat, leave } from './heartbeat.js';
import type { HeldText } from './snapshot-texts.js';

/** Milliseconds after which a client that reads nothing is disconnected. */
const STALLED_MS = 30_000;

/**
 * Maximum bytes of one piece of a snapshot. Small pieces show whether the client still reads, and limit what a mount
 * and Node buffer.
 */
const PIECE_BYTES = 32 * 1024;

const encoder = new TextEncoder();

const over: IteratorReturnResult<void> = { done: true, value: undefined };

/** Input of an `EventStream`. */
export interface Watching {
  readonly heartbeatMs: number;
  /** The text of a snapshot; undefined if too many bytes of snapshots are being sent. */
  readonly textOf: (snapshot: SessionSnapshot) => HeldText | undefined;
  /** Reports an error to the host. */
  readonly report: (error: HandlerError) => void;
  readonly changes: AsyncIterator<Result<SessionChange, WatchError>, unknown>;
  /** Ends `changes`. */
  readonly gone: AbortController;
  /** Called once, when the stream is over for any reason. */
  readonly onOver: () => void;
}

const endReasonOf = (change: SessionChange): EndReason | undefined => {
  if (change.type === 'session.terminated') return change.endReason;
  if (change.type !== 'session.snapshot') return undefined;
  return change.session.status === 'TERMINATED' ? change.session.endReason : undefined;
};

/**
 * The events of a session as bytes, until the session has ended or the client has disconnected. Never throws. Between
 * two pieces it holds at most the text of a snapshot, shared with other streams. If the client stops reading, the
 * stream frees everything and aborts `cutOff`, and the mount closes the connection.
 */
export class EventStream implements AsyncIterator<Uint8Array, void> {
  readonly #watching: Watching;
  readonly #changes: Heartbeats<Result<SessionChange, WatchError>>;
  readonly #cutOff = new AbortController();
  /** The snapshot that is being sent, and the number of its bytes that were sent. */
  #text: HeldText | undefined;
  #sent = 0;
  #reason: EndReason | undefined;
  #hasBegun = false;
  #isEnding = false;
  #stalled: ReturnType<typeof setTimeout> | undefined;

  constructor(watching: Watching) {
    this.#watching = watching;
    this.#changes = new Heartbeats(watching.changes, watching.heartbeatMs, watching.gone.signal);
    this.#awaitClient();
  }

  get cutOff(): AbortSignal {
    return this.#cutOff.signal;
  }

  async next(): Promise<IteratorResult<Uint8Array, void>> {
    clearTimeout(this.#stalled);
    const { signal } = this.#watching.gone;
    const value = signal.aborted ? undefined : await this.#next();
    if (value === undefined || signal.aborted) return this.return();
    this.#awaitClient();
    return { done: false, value: typeof value === 'string' ? encoder.encode(value) : value };
  }

  async return(): Promise<IteratorResult<Uint8Array, void>> {
    const { gone, changes, onOver } = this.#watching;
    clearTimeout(this.#stalled);
    this.#isEnding = true;
    this.#letGoOfText();
    if (!gone.signal.aborted) {
      gone.abort();
      leave(changes);
      onOver();
    }
    return over;
  }

  #awaitClient(): void {
    this.#stalled = setTimeout(() => {
      void this.return();
      this.#cutOff.abort();
    }, STALLED_MS);
  }

  async #next(): Promise<string | Uint8Array | undefined> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      return preamble;
    }
    if (this.#text !== undefined) return this.#piece(this.#text);
    return this.#isEnding ? undefined : this.#frame();
  }

  /** Copies the piece: a view would keep the whole text in memory for as long as the piece is referenced. */
  #piece({ shared, end }: HeldText): string | Uint8Array {
    const piece = shared.slice(this.#sent, this.#sent + PIECE_BYTES);
    this.#sent += piece.length;
    if (piece.length > 0) return piece;
    this.#letGoOfText();
    return `${end}${endOfEvent}`;
  }

  async #frame(): Promise<string> {
    try {
      const next = await this.#changes.next();
      if (next === heartbeat) return heartbeatLine;
      if (next.done === true) return this.#end();
      return next.value.match(
        (change) => this.#frameOf(change),
        (error) => this.#broken(inClientTerms(watch, error)),
      );
    } catch (cause) {
      return this.#broken(storeUnavailable('the events could not be read', 'not_applied', cause));
    }
  }

  #frameOf(change: SessionChange): string {
    this.#reason = endReasonOf(change);
    if (change.type !== 'session.snapshot') return eventFrame(change);
    this.#text = this.#watching.textOf(change);
    this.#sent = 0;
    return this.#text === undefined ? this.#broken({ type: 'too_many_streams' }) : snapshotHead(change);
  }

  #end(): string {
    this.#isEnding = true;
    return endFrame(this.#reason);
  }

  #broken(error: HandlerError): string {
    this.#isEnding = true;
    this.#watching.report(error);
    return unavailableFrame(error);
  }

  #letGoOfText(): void {
    this.#text?.release();
    this.#text = undefined;
  }
}
