import { ok, type Result } from 'neverthrow';
import type { StoreError } from '../session/errors.js';
import { CLOCK_MARGIN_MS } from '../session/event-position.js';
import type { EventPage, SessionEvent } from '../session/session-event.js';
import type { EventLog, EventScope, SessionStore } from '../store/session-store.js';
import { openLog, safely } from './safely.js';
import { SharedReads } from './shared-reads.js';

export const PAGE = 500;

/** The current time minus the margin: not in the future on the clock of any log. */
export const nowWithMargin = (): number => Date.now() - CLOCK_MARGIN_MS;

export interface LogPage {
  readonly events: readonly SessionEvent[];
  /** Whether the read advanced; then there may be more events. */
  readonly hasMoved: boolean;
  /** Whether events before these are gone from the stream. */
  readonly isTrimmed: boolean;
}

/** Cursors at the same position may share their reads. */
export type LogReads = SharedReads<Result<EventPage, StoreError>>;

/** Reads a stream page by page, and reports each trimmed part once. */
export class LogCursor {
  readonly #log: EventLog;
  readonly #stream: string;
  #position: string;
  readonly #reads: LogReads;
  /** Whether the last read found the stream trimmed and empty. */
  #isGone = false;

  constructor(log: EventLog, stream: string, position = '0', reads: LogReads = new SharedReads()) {
    this.#log = log;
    this.#stream = stream;
    this.#position = position;
    this.#reads = reads;
  }

  async toEnd(): Promise<Result<void, StoreError>> {
    const latest = await safely(() => this.#log.latest(this.#stream));
    this.#position = latest.unwrapOr(this.#position);
    return latest.map(() => undefined);
  }

  async read(scope?: EventScope): Promise<Result<LogPage, StoreError>> {
    const name = JSON.stringify([this.#stream, this.#position, scope]);
    const page = await this.#reads.read(name, () =>
      safely(() => this.#log.read(this.#stream, this.#position, PAGE, scope)),
    );
    return page.map(({ events, position, isTrimmed }) => {
      const hasMoved = position !== this.#position;
      const wasGone = this.#isGone;
      this.#isGone = isTrimmed && !hasMoved;
      this.#position = position;
      return { events, hasMoved, isTrimmed: isTrimmed && !wasGone };
    });
  }
}

/**
 * The position from which a watch misses nothing that is acknowledged after this call; undefined if
 * the deployment has no events. A time, because the position of the last event would reveal the
 * activity of other tenants.
 */
export const positionNow = async ({
  store,
  tenant,
}: {
  readonly store: SessionStore;
  readonly tenant: string;
}): Promise<Result<string | undefined, StoreError>> => {
  const log = store.events;
  if (log === undefined) return ok(undefined);
  const opened = await openLog(log);
  const now = opened.isErr() ? opened : await safely(() => log.now(log.streamOf(tenant)));
  // Every other call of the store reports any other wrong setting.
  if (now.isErr() && now.error.type === 'misconfigured') return ok(undefined);
  return now.map(String);
};
