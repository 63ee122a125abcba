import { err, ok, type Result } from 'neverthrow';
import { type StoreUnavailable, storeUnavailable } from '../errors.js';
import type { EventLog, EventScope } from '../store/session-store.js';
import type { EventPage, SessionEvent } from './session-event.js';

/** How many events are looked at at a time. */
export const PAGE = 500;

export interface LogPage {
  readonly events: readonly SessionEvent[];
  /** Whether there may be more at once. */
  readonly hasMoved: boolean;
  /** Whether events are gone that stood before these. */
  readonly isTrimmed: boolean;
}

/** Reads a stream page by page, and says once where a part of it is gone. */
export class LogCursor {
  readonly #log: EventLog;
  readonly #stream: string;
  #place: string;
  #hasMoved = false;
  /** The stream was found empty where there had been something. */
  #isGone = false;

  constructor(log: EventLog, stream: string, place: string) {
    this.#log = log;
    this.#stream = stream;
    this.#place = place;
  }

  /** Behind the last event that was looked at. */
  get place(): string {
    return this.#place;
  }

  /** Whether it has ever come to an event, or was moved. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  moveTo(place: string): void {
    this.#hasMoved = true;
    this.#place = place;
  }

  async read(scope?: EventScope): Promise<Result<LogPage, StoreUnavailable>> {
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

  /** A store that breaks its contract is asked again, as one that cannot be reached. */
  async #ask(scope: EventScope | undefined): Promise<Result<EventPage, StoreUnavailable>> {
    try {
      return await this.#log.read(this.#stream, this.#place, PAGE, scope);
    } catch (cause) {
      return err(storeUnavailable('the store failed in a way that it should not', 'not_applied', cause));
    }
  }
}
