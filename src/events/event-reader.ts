import { err, ok, type Result } from 'neverthrow';
import { invalidInput, type WatchError } from '../errors.js';
import type { Settings } from '../service/settings.js';
import type { EventLog } from '../store/session-store.js';
import type { Subscription } from './event-hub.js';
import { Inbox } from './inbox.js';
import { LogCursor, PAGE } from './log-cursor.js';
import { isAfter, placeBefore, timeAt } from './position.js';
import type { SessionEvent, WatchSignal } from './session-event.js';

/** Milliseconds before a failed read is retried. */
const RETRY_MS = 100;

/**
 * An event; `trimmed` if the log no longer has some of the events to read; or `skipped` if events that may exist were
 * not read.
 */
export type ReaderItem = SessionEvent | 'trimmed' | 'skipped';

/** Where to start reading the log. */
interface Start {
  /** Milliseconds since the epoch. */
  readonly ms: number;
  /** Id of an event in that millisecond, to start after it. Default: start with the first event of the millisecond. */
  readonly eventId?: string | undefined;
}

/** Subscribes to the events of a session or a tenant. The reader misses no event that is logged after this call. */
export const openReader = async (
  { store, hub }: Settings,
  tenant: string,
  sessionId: string | undefined,
  signal: WatchSignal | undefined,
): Promise<Result<EventReader, WatchError>> => {
  const log = store.events;
  if (log === undefined || hub === undefined) {
    return err(invalidInput([{ path: 'store', message: 'has no events; enable them with its option `events`' }]));
  }
  const inbox = new Inbox(tenant, sessionId);
  const subscribed = await hub.subscribe(inbox);
  return subscribed.map((subscription) => new EventReader(log, inbox, subscription, signal));
};

/**
 * Reads the events of a session or a tenant in log order. They come from the feed. A consumer that is behind the feed
 * reads the log itself, at its own speed, until it has caught up with the feed.
 */
export class EventReader {
  readonly #log: EventLog;
  readonly #inbox: Inbox;
  readonly #subscription: Subscription;
  readonly #signal: WatchSignal | undefined;
  readonly #onAbort = (): void => this.end();
  /** Set while the reader reads the log itself. */
  #cursor: LogCursor | undefined;
  #page: SessionEvent[] = [];
  #pending: 'trimmed' | 'skipped' | undefined;
  /** The event to start after, until it is found, and the events that were read before it. */
  #known: Required<Start> | undefined;
  #beforeKnown: SessionEvent[] = [];
  #maxOtherEvents = Number.POSITIVE_INFINITY;
  #otherEventsLeft = Number.POSITIVE_INFINITY;

  constructor(log: EventLog, inbox: Inbox, subscription: Subscription, signal: WatchSignal | undefined) {
    this.#log = log;
    this.#inbox = inbox;
    this.#subscription = subscription;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted) this.end();
  }

  get isClosed(): boolean {
    return this.#inbox.isClosed;
  }

  /** Whether the reader has delivered all events up to the position of the feed. */
  get isCaughtUp(): boolean {
    return this.#cursor === undefined && this.#page.length === 0 && this.#inbox.stoppedAt === undefined;
  }

  /** When the next waiting event was logged, in milliseconds since the epoch; undefined if none is waiting. */
  get nextMs(): number | undefined {
    const next = this.#page[0] ?? this.#inbox.peek();
    return next === undefined || next === 'skipped' ? undefined : timeAt(next.position);
  }

  /**
   * Sets the approximate maximum number of other sessions' events that one catch-up reads. The reader skips the rest.
   */
  limitOtherEvents(most: number): void {
    this.#maxOtherEvents = most;
  }

  /** Continues with the events that were logged at or after a time. */
  readFrom({ ms, eventId }: Start): void {
    this.#inbox.stop(placeBefore(ms));
    this.#known = eventId === undefined ? undefined : { ms, eventId };
  }

  /** Lets a `next` that waits return without an item. */
  wake(): void {
    this.#inbox.wake();
  }

  end(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#page = [];
    this.#inbox.close();
    this.#subscription.end();
  }

  /**
   * The next item. Undefined if `ms` milliseconds have passed without one, if the reader has just caught up with the
   * feed, or if it is closed.
   */
  async next(ms: number): Promise<Result<ReaderItem, WatchError> | undefined> {
    for (let mayWait = ms > 0; !this.isClosed; ) {
      const item = this.#take();
      if (item !== undefined) return ok(item);
      if (this.#inbox.error !== undefined) return err(this.#inbox.error);
      const { stoppedAt } = this.#inbox;
      if (stoppedAt !== undefined) {
        mayWait = false;
        if (await this.#readLog(stoppedAt)) continue;
        await this.#inbox.wait(RETRY_MS);
        return undefined;
      }
      if (!mayWait) return undefined;
      mayWait = false;
      await this.#inbox.wait(ms);
    }
    return undefined;
  }

  #take(): ReaderItem | undefined {
    const isReading = this.#inbox.stoppedAt !== undefined && this.#cursor !== undefined;
    const pending = this.#pending;
    if (pending !== undefined && (this.#page.length > 0 || !isReading)) {
      this.#pending = undefined;
      return pending;
    }
    return this.#page.shift() ?? this.#inbox.next();
  }

  /**
   * Reads the next page of the log. Switches back to the feed once it has caught up. Returns false if the read failed.
   */
  async #readLog(from: string): Promise<boolean> {
    const { tenant, sessionId } = this.#inbox;
    if (this.#cursor === undefined) this.#otherEventsLeft = this.#maxOtherEvents;
    this.#cursor ??= new LogCursor(this.#log, this.#log.streamOf(tenant), from);
    const cursor = this.#cursor;
    const feedPlace = this.#subscription.place;
    const page = await cursor.read({ tenant, sessionId });
    if (page.isErr()) return false;
    const { events, hasMoved, isTrimmed } = page.value;
    const own = events.filter(
      (event) => event.tenant === tenant && (sessionId === undefined || event.sessionId === sessionId),
    );
    if (isTrimmed) this.#pending = 'trimmed';
    // The events that the feed has already passed are gone from the log.
    if (!hasMoved && isAfter(feedPlace, cursor.place)) cursor.moveTo(feedPlace);
    this.#page.push(...this.#afterKnown(own, cursor.place, !hasMoved));
    this.#otherEventsLeft -= PAGE - own.length;
    const hasReachedFeed = !isAfter(this.#subscription.place, cursor.place);
    if (!hasReachedFeed && this.#otherEventsLeft <= 0) {
      this.#pending = 'skipped';
      cursor.moveTo(this.#subscription.place);
    } else if (!hasReachedFeed || this.#known !== undefined) {
      // The events before the known event wait until the log shows whether it still has that event.
      return true;
    }
    // If the position is ahead of all events, new events get lower positions and would be dropped.
    this.#inbox.resume(cursor.hasMoved ? cursor.place : this.#subscription.place);
    this.#cursor = undefined;
    return true;
  }

  /** The events of a page after the known event; all of them if that event cannot be found. */
  #afterKnown(own: readonly SessionEvent[], place: string, isLast: boolean): readonly SessionEvent[] {
    if (this.#known === undefined) return own;
    const { ms, eventId } = this.#known;
    const at = own.findIndex(({ id }) => id === eventId);
    if (at < 0 && !isLast && timeAt(place) <= ms) {
      this.#beforeKnown.push(...own);
      return [];
    }
    const before = this.#beforeKnown;
    this.#known = undefined;
    this.#beforeKnown = [];
    this.#pending = at < 0 ? 'trimmed' : undefined;
    return at < 0 ? [...before, ...own] : own.slice(at + 1);
  }
}
