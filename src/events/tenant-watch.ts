import { err, ok, Result } from 'neverthrow';
import type { TenantWatchSettings } from '../input/watch-options.js';
import type { StoreError } from '../session/errors.js';
import { type EventPosition, positionBefore } from '../session/event-position.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { EventsLost, SessionEvent, TenantChange } from '../session/session-event.js';
import { LogCursor, positionNow } from './log-cursor.js';
import { TenantChanges } from './tenant-changes.js';
import { openWakes, type Wakes } from './wakes.js';
import type { WatchSource } from './watch-source.js';

type Item = Result<TenantChange, OperationErrors['watchAll']>;

const RETRY_MS = 100;

/** Maximum number of events whose sessions and entries are read at the same time. */
const MAX_READS = 16;

/**
 * How much of the time since the call is subtracted twice, because two clocks run at slightly
 * different speeds.
 */
const DRIFT = 0.001;

/**
 * The position of the log to begin after: that of a cursor, or that at the time of the call, by
 * `performance.now()`, or slightly before.
 */
const beginningOf = async (
  source: WatchSource,
  cursor: EventPosition | undefined,
  calledAt: number,
): Promise<Result<string, StoreError>> => {
  if (cursor !== undefined) return ok(positionBefore(cursor.ms));
  const now = await positionNow(source);
  const elapsed = (performance.now() - calledAt) * (1 + DRIFT);
  return now.map((ms) => positionBefore(Math.floor(Number(ms) - elapsed) - 1));
};

/**
 * Some changes, with what the host asks for; none once the watch is over. In an outage, they are
 * read again.
 */
const readAll = async (
  wakes: Wakes,
  options: TenantWatchSettings,
  changes: readonly (SessionEvent | EventsLost)[],
): Promise<readonly TenantChange[]> => {
  while (wakes.isOn) {
    const read = Result.combine(
      await Promise.all(changes.map((change) => wakes.hub.events.read(change, options))),
    );
    if (read.isOk()) return read.value;
    await wakes.pause(RETRY_MS);
  }
  return [];
};

/**
 * Watches all sessions of a tenant, from the call or from a cursor, until the caller stops. Each
 * watch reads the log itself.
 */
export class TenantWatch implements AsyncIterator<Item, void> {
  readonly #source: WatchSource;
  readonly #options: TenantWatchSettings;
  readonly #items: AsyncGenerator<Item, void>;
  #wakes: Wakes | undefined;
  #isOver = false;

  constructor(source: WatchSource, options: TenantWatchSettings, calledAt: number) {
    this.#source = source;
    this.#options = options;
    this.#items = this.#watch(calledAt);
  }

  next(): Promise<IteratorResult<Item, void>> {
    return this.#items.next();
  }

  /** Ends the wait for the next item first: the generator would return only after it. */
  return(): Promise<IteratorResult<Item, void>> {
    this.#isOver = true;
    this.#wakes?.end();
    return this.#items.return();
  }

  async *#watch(calledAt: number): AsyncGenerator<Item, void> {
    const scope = { tenant: this.#source.tenant, sessionId: undefined };
    const opened = await openWakes(this.#source, scope, this.#options.signal);
    if (opened.isErr()) {
      yield err(opened.error);
      return;
    }
    const wakes = opened.value;
    this.#wakes = wakes;
    try {
      if (this.#isOver) return;
      yield* this.#changes(wakes, calledAt);
    } finally {
      wakes.end();
    }
  }

  async *#changes(wakes: Wakes, calledAt: number): AsyncGenerator<Item, void> {
    const beginning = await beginningOf(this.#source, this.#options.cursor, calledAt);
    if (beginning.isErr()) yield err(beginning.error);
    if (beginning.isErr() || wakes.isClosed) return;
    this.#options.onOpen();
    const { feed, hub } = wakes;
    const cursor = new LogCursor(feed.log, feed.stream, beginning.value, hub.logReads);
    const changes = new TenantChanges(this.#source.tenant, this.#options);
    while (wakes.isOn) {
      wakes.take();
      const page = await cursor.read(wakes.scope);
      if (page.isErr()) {
        await wakes.pause(RETRY_MS);
        continue;
      }
      const found = [...changes.in(page.value)];
      for (let at = 0; at < found.length; at += MAX_READS) {
        const read = await readAll(wakes, this.#options, found.slice(at, at + MAX_READS));
        for (const change of read) {
          if (wakes.isClosed) return;
          yield ok(change);
        }
      }
      if (!page.value.hasMoved) await wakes.wait();
    }
    if (!wakes.isClosed && wakes.error !== undefined) yield err(wakes.error);
  }
}
