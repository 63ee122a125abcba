import type { Result } from 'neverthrow';
import { InterruptibleWait } from '../events/interruptible-wait.js';
import { watch } from '../operations/event-shapes.js';
import { storeUnavailable, type WatchError } from '../session/errors.js';
import type { SessionChange, SessionSnapshot } from '../session/session-event.js';
import type { EndReason } from '../session/session-status.js';
import { inClientTerms } from './answer-of.js';
import { endFrame, eventFrame, heartbeatLine, preamble, type SnapshotFrame, unavailableFrame } from './event-frame.js';
import { type HandlerError, refusal } from './handler-error.js';

/** Milliseconds after which a client that reads nothing is disconnected. */
const STALLED_MS = 30_000;

/**
 * Maximum bytes of one piece of a snapshot. Small pieces show whether the client still reads, and limit what a mount
 * and Node buffer.
 */
const PIECE_BYTES = 32 * 1024;

const encoder = new TextEncoder();

type Change = Result<SessionChange, WatchError>;

/** An open watch. */
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

/** Input of an `EventStream`. */
export interface Watching extends OpenWatch {
  readonly heartbeatMs: number;
  /** The event of a snapshot; undefined if too many bytes of snapshots are being sent. */
  readonly snapshotFrame: (snapshot: SessionSnapshot) => SnapshotFrame | undefined;
  /** Reports an error to the host. */
  readonly report: (error: HandlerError) => void;
  /** Called once, when the stream is over for any reason. */
  readonly onOver: () => void;
}

const endReasonOf = (change: SessionChange): EndReason | undefined => {
  if (change.type === 'session.terminated') return change.endReason;
  return change.type === 'session.snapshot' ? change.session.endReason : undefined;
};

/**
 * The events of a session as bytes, until the session has ended or the client has disconnected. Never throws. Between
 * two pieces it holds at most the text of a snapshot, shared with other streams. If the client stops reading, the
 * stream frees everything and aborts `cutOff`, and the mount closes the connection.
 */
export class EventStream implements AsyncIterator<Uint8Array, void> {
  readonly #watching: Watching;
  readonly #cutOff = new AbortController();
  readonly #pause = new InterruptibleWait();
  /** Whether a change was requested and is not taken yet. */
  #isAsked = false;
  /** Returns the requested change, or throws its error. */
  #answer: (() => IteratorResult<Change, unknown>) | undefined;
  /** The snapshot that is being sent, and how many of its bytes were sent. */
  #snapshot: SnapshotFrame | undefined;
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
    const value = signal.aborted ? undefined : await this.#next();
    if (value === undefined || signal.aborted) return this.return();
    this.#awaitClient();
    return { done: false, value: typeof value === 'string' ? encoder.encode(value) : value };
  }

  async return(): Promise<IteratorResult<Uint8Array, void>> {
    clearTimeout(this.#stalled);
    this.#isEnding = true;
    this.#releaseSnapshot();
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

  async #next(): Promise<string | Uint8Array | undefined> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      return preamble;
    }
    if (this.#snapshot !== undefined) return this.#piece(this.#snapshot);
    return this.#isEnding ? undefined : this.#frame();
  }

  /** Copied, because a view would keep the whole text in memory as long as the piece is referenced. */
  #piece({ shared, end }: SnapshotFrame): string | Uint8Array {
    const piece = shared.slice(this.#sent, this.#sent + PIECE_BYTES);
    this.#sent += piece.length;
    if (piece.length > 0) return piece;
    this.#releaseSnapshot();
    return end;
  }

  async #frame(): Promise<string> {
    try {
      const next = await this.#nextChange();
      if (next === undefined) return heartbeatLine;
      if (next.done === true) return this.#end();
      return next.value.match(
        (change) => this.#frameOf(change),
        (error) => this.#broken(inClientTerms(watch, error)),
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

  /** Adds one listener per promise: `Promise.race` would add another one at every heartbeat. */
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

  #frameOf(change: SessionChange): string {
    this.#reason = endReasonOf(change);
    if (change.type !== 'session.snapshot') return eventFrame(change);
    this.#snapshot = this.#watching.snapshotFrame(change);
    this.#sent = 0;
    return this.#snapshot?.head ?? this.#broken(refusal('too_many_streams'));
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

  #releaseSnapshot(): void {
    this.#snapshot?.release();
    this.#snapshot = undefined;
  }
}
