import type { Result } from 'neverthrow';
import { servedWatch } from '../endpoints/event-shapes.js';
import { InterruptibleWait } from '../events/timers.js';
import { afterLong, systemClock, timerOf } from '../session/clock.js';
import { storeUnavailable } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { EndReason } from '../session/session-status.js';
import { inClientTerms } from './answer-of.js';
import { endFrame, heartbeatLine, preamble, unavailableFrame } from './event-frame.js';
import { type HandlerError, refusal } from './handler-error.js';
import type { Reservation } from './tenant-quota.js';

/** Milliseconds after which a client that reads nothing is disconnected. */
const STALLED_MS = 30_000;

/**
 * Maximum bytes of one piece of an event. Small pieces show whether the client still reads, and
 * limit what a mount and Node buffer.
 */
const PIECE_BYTES = 32 * 1024;

export const encoder = new TextEncoder();

/** A serialised event, which several streams may send, and the end reason that it contains. */
export interface Frame {
  readonly bytes: Uint8Array;
  readonly endReason?: EndReason | undefined;
}

type Change = Result<Frame, OperationErrors['watch']>;

export interface OpenWatch {
  readonly changes: AsyncIterator<Change, unknown>;
  /** Ends `changes`. */
  readonly gone: AbortController;
}

/** Ends a watch without waiting for it. Errors are ignored. */
export const endWatch = ({ changes, gone }: OpenWatch): void => {
  gone.abort();
  (async () => changes.return?.())().catch(() => undefined);
};

export interface Watching extends OpenWatch {
  readonly heartbeatMs: number;
  /** Reserves the bytes of an event that is sent in pieces. */
  readonly reserve: () => Reservation;
  readonly report: (error: HandlerError) => void;
  /** Called once, when the stream is over for any reason. */
  readonly onOver: () => void;
}

/**
 * The events of a session as bytes, until the session has ended or the client has disconnected.
 * Never throws. Between two pieces it holds at most the rest of one event. If the client stops
 * reading, the stream frees everything and aborts `cutOff`, and the mount closes the connection.
 */
export class EventStream implements AsyncIterator<Uint8Array, void> {
  readonly #watching: Watching;
  readonly #cutOff = new AbortController();
  /** A wait for a heartbeat must not end early, as the clock's own timers may. */
  readonly #pause = new InterruptibleWait((ms, done) => afterLong(timerOf(systemClock), ms, done));
  /** Whether a change was requested and is not taken yet. */
  #isAsked = false;
  #answer: (() => IteratorResult<Change, unknown>) | undefined;
  /** The event that is being sent in pieces, and how many of its bytes were sent. */
  #event: Uint8Array | undefined;
  #reservation: Reservation | undefined;
  #sent = 0;
  #reason: EndReason | undefined;
  #hasBegun = false;
  #isEnding = false;
  #stalled: ReturnType<typeof setTimeout> | undefined;

  /** `first` is the first change of the watch, which was already requested. */
  constructor(watching: Watching, first: Promise<IteratorResult<Change, unknown>>) {
    this.#watching = watching;
    watching.gone.signal.addEventListener('abort', () => this.#pause.end(), { once: true });
    this.#receive(first);
    this.#awaitClient();
  }

  get cutOff(): AbortSignal {
    return this.#cutOff.signal;
  }

  async next(): Promise<IteratorResult<Uint8Array, void>> {
    clearTimeout(this.#stalled);
    const { signal } = this.#watching.gone;
    if (signal.aborted) return this.return();
    const value = await this.#next();
    if (value === undefined || signal.aborted) return this.return();
    this.#awaitClient();
    return { done: false, value };
  }

  async return(): Promise<IteratorResult<Uint8Array, void>> {
    clearTimeout(this.#stalled);
    this.#isEnding = true;
    this.#releaseEvent();
    if (!this.#watching.gone.signal.aborted) {
      endWatch(this.#watching);
      this.#watching.onOver();
    }
    return { done: true, value: undefined };
  }

  #awaitClient(): void {
    this.#stalled = setTimeout(() => {
      void this.return();
      this.#cutOff.abort();
    }, STALLED_MS);
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      return encoder.encode(preamble);
    }
    if (this.#event !== undefined) return this.#piece(this.#event);
    if (this.#isEnding) return undefined;
    return this.#begin(await this.#frame());
  }

  #begin(event: Uint8Array): Uint8Array {
    if (event.length <= PIECE_BYTES) return event;
    const reservation = this.#watching.reserve();
    if (!reservation.admit(event.length)) return this.#broken(refusal('too_many_streams'));
    this.#reservation = reservation;
    this.#event = event;
    this.#sent = 0;
    return this.#piece(event);
  }

  /**
   * Copied, because a view would keep the complete event in memory as long as the piece is
   * referenced.
   */
  #piece(event: Uint8Array): Uint8Array {
    const piece = event.slice(this.#sent, this.#sent + PIECE_BYTES);
    this.#sent += piece.length;
    if (this.#sent >= event.length) this.#releaseEvent();
    return piece;
  }

  async #frame(): Promise<Uint8Array> {
    try {
      const next = await this.#nextChange();
      if (next === undefined) return encoder.encode(heartbeatLine);
      if (next.done === true) return this.#end();
      return next.value.match(
        (event) => this.#bytesOf(event),
        (error) => this.#broken(inClientTerms(servedWatch, error)),
      );
    } catch (cause) {
      return this.#broken(storeUnavailable('the events could not be read', 'not_applied', cause));
    }
  }

  /** The next change; undefined after `heartbeatMs` without one, or when the watch is ended. */
  async #nextChange(): Promise<IteratorResult<Change, unknown> | undefined> {
    if (!this.#isAsked) this.#receive(this.#watching.changes.next());
    if (this.#answer === undefined) await this.#pause.wait(this.#watching.heartbeatMs);
    const answer = this.#answer;
    if (answer === undefined) return undefined;
    // Cleared, so that the stream does not keep the change in memory.
    this.#answer = undefined;
    this.#isAsked = false;
    return answer();
  }

  /**
   * Adds one listener per promise: `Promise.race` would add another listener at every heartbeat.
   */
  #receive(next: Promise<IteratorResult<Change, unknown>>): void {
    this.#isAsked = true;
    const answered = (answer: () => IteratorResult<Change, unknown>): void => {
      this.#answer = answer;
      this.#pause.end();
    };
    next.then(
      (change) => answered(() => change),
      (cause) =>
        answered(() => {
          throw cause;
        }),
    );
  }

  #bytesOf({ bytes, endReason }: Frame): Uint8Array {
    this.#reason = endReason;
    return bytes;
  }

  #end(): Uint8Array {
    this.#isEnding = true;
    return encoder.encode(endFrame(this.#reason));
  }

  #broken(error: HandlerError): Uint8Array {
    this.#isEnding = true;
    this.#watching.report(error);
    return encoder.encode(unavailableFrame(error));
  }

  #releaseEvent(): void {
    this.#reservation?.release();
    this.#reservation = undefined;
    this.#event = undefined;
  }
}
