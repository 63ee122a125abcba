import type { Result } from 'neverthrow';
import type { StoreError } from '../session/errors.js';
import { CLOCK_MARGIN_MS } from '../session/event-position.js';
import type { SessionEvent } from '../session/session-event.js';
import type { EventLog, EventScope } from '../store/session-store.js';
import { safely } from './safely.js';

/** Maximum number of events in one read. */
export const PAGE = 500;

/** The current time minus the margin: no later than now by the clock of any log. */
export const nowWithMargin = (): number => Date.now() - CLOCK_MARGIN_MS;

export interface LogPage {
  readonly events: readonly SessionEvent[];
  /** Whether the read advanced; then there may be more events. */
  readonly hasMoved: boolean;
  /** Whether events before these are gone from the stream. */
  readonly isTrimmed: boolean;
}

/** Reads a stream page by page, and reports each trimmed part once. */
export class LogCursor {
  readonly #log: EventLog;
  readonly #stream: string;
  #position: string;
  /** The last read found the stream trimmed and empty. */
  #isGone = false;

  constructor(log: EventLog, stream: string, position = '0') {
    this.#log = log;
    this.#stream = stream;
    this.#position = position;
  }

  /** Moves after the latest event. */
  async toEnd(): Promise<Result<void, StoreError>> {
    const latest = await safely(() => this.#log.latest(this.#stream));
    this.#position = latest.unwrapOr(this.#position);
    return latest.map(() => undefined);
  }

  async read(scope?: EventScope): Promise<Result<LogPage, StoreError>> {
    const page = await safely(() => this.#log.read(this.#stream, this.#position, PAGE, scope));
    return page.map(({ events, position, isTrimmed }) => {
      const hasMoved = position !== this.#position;
      const wasGone = this.#isGone;
      this.#isGone = isTrimmed && !hasMoved;
      this.#position = position;
      return { events, hasMoved, isTrimmed: isTrimmed && !wasGone };
    });
  }
}
