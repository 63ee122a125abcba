import { err, ok, type Result } from 'neverthrow';
import { type StoreError, storeUnavailable } from '../errors.js';
import type { EventLog, EventScope } from '../store/session-store.js';
import type { EventPage, SessionEvent } from './session-event.js';

/** Maximum number of events in one read. */
export const PAGE = 500;

export interface LogPage {
  readonly events: readonly SessionEvent[];
  /** Whether the read advanced; then there may be more events. */
  readonly hasMoved: boolean;
  /** Whether events before these were trimmed from the stream. */
  readonly isTrimmed: boolean;
}

/** Reads a stream page by page, and reports each trimmed part once. */
export class LogCursor {
  readonly #log: EventLog;
  readonly #stream: string;
  #place: string;
  #hasMoved = false;
  /** The last read found the stream trimmed and empty. */
  #isGone = false;

  constructor(log: EventLog, stream: string, place: string) {
    this.#log = log;
    this.#stream = stream;
    this.#place = place;
  }

  /** The position after the last event that was read. */
  get place(): string {
    return this.#place;
  }

  /** Whether the position has ever changed. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  moveTo(place: string): void {
    this.#hasMoved = true;
    this.#place = place;
  }

  async read(scope?: EventScope): Promise<Result<LogPage, StoreError>> {
    const page = await this.#ask(scope);
    return page.andThen(({ events, position, isTrimmed }) => {
      const hasMoved = position !== this.#place;
      const wasGone = this.#isGone;
      this.#isGone = isTrimmed && !hasMoved;
      this.#hasMoved ||= hasMoved;
      this.#place = position;
      return ok({ events, hasMoved, isTrimmed: isTrimmed && !wasGone });
    });
  }

  /** An exception of the store is treated as `store_unavailable`, so the read is retried. */
  async #ask(scope: EventScope | undefined): Promise<Result<EventPage, StoreError>> {
    try {
      return await this.#log.read(this.#stream, this.#place, PAGE, scope);
    } catch (cause) {
      return err(storeUnavailable('the store threw an exception', 'not_applied', cause));
    }
  }
}
