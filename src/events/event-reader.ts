import { err, ok, type Result } from 'neverthrow';
import type { StoreError, WatchError } from '../session/errors.js';
import { isAfter, timeAt } from '../session/event-position.js';
import type { SessionEvent, WatchSignal } from '../session/session-event.js';
import { noEvents } from '../store/no-events.js';
import type { EventLog, EventScope } from '../store/session-store.js';
import type { Feed, FeedConsumer } from './feed.js';
import { InterruptibleWait } from './interruptible-wait.js';
import { LogCursor, PAGE } from './log-cursor.js';
import { safely } from './safely.js';
import type { WatchSource } from './watch-source.js';

/** Maximum number of waiting events from the feed. A consumer that is further behind reads the log itself. */
const MAX_WAITING = 256;

/** Milliseconds before a failed read is retried. */
const RETRY_MS = 100;

/** An event, or `gap` where events may be missing. */
export type ReaderItem = SessionEvent | 'gap';

export interface ReaderOptions {
  readonly scope: EventScope;
  readonly signal: WatchSignal | undefined;
  /** Approximate maximum number of events outside the scope that the reader reads to catch up. It skips the rest. */
  readonly maxOthers: number;
}

/** Opens a reader. It misses no event that is logged after this call. */
export const openReader = async (
  { store, hub, after }: WatchSource,
  options: ReaderOptions,
): Promise<Result<EventReader, WatchError>> => {
  const log = store.events;
  if (log === undefined || hub === undefined) return err(noEvents);
  const opened = await safely(() => log.open?.() ?? ok());
  if (opened.isErr()) return err(opened.error);
  const feed = hub.feedOf(options.scope.tenant);
  const reader = new EventReader(log, feed, new InterruptibleWait(after), options);
  const added = await feed.add(reader);
  if (added.isErr() || options.signal?.aborted) reader.end();
  return added.map(() => reader);
};

/**
 * Reads the events of a session or a tenant in the order of the log. They come from the feed, through a bounded queue.
 * A consumer that is behind reads the log itself, at its own speed, until it has caught up with the feed. Where the two
 * meet, an event may come twice.
 */
export class EventReader implements FeedConsumer {
  readonly scope: EventScope;
  readonly #log: EventLog;
  readonly #feed: Feed;
  readonly #options: ReaderOptions;
  readonly #pause: InterruptibleWait;
  #items: ReaderItem[] = [];
  /** Position of the last event that was put into the queue. The feed may deliver it again: the log was ahead of it. */
  #last = '0';
  /** Set while the consumer reads the log itself. */
  #cursor: LogCursor | undefined;
  #othersLeft = 0;
  /** The id of the event to start after, until the first page is read. */
  #known: string | undefined;
  /** Whether to report a gap before the next event. */
  #isTrimmed = false;
  /** Whether the feed has lost events during a read of the log, whose page may be older than that. */
  #mustReadAgain = false;
  #error: StoreError | undefined;
  #isClosed = false;

  constructor(log: EventLog, feed: Feed, pause: InterruptibleWait, options: ReaderOptions) {
    this.#pause = pause;
    this.#log = log;
    this.#feed = feed;
    this.#options = options;
    this.scope = options.scope;
    options.signal?.addEventListener('abort', this.end);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether the reader has delivered all events up to the position of the feed. */
  get isCaughtUp(): boolean {
    return this.#cursor === undefined && this.#items.length === 0;
  }

  /** When the next waiting event was logged, in milliseconds since the epoch; undefined if none is waiting. */
  get nextMs(): number | undefined {
    const [next] = this.#items;
    return next === undefined || next === 'gap' ? undefined : timeAt(next.position);
  }

  /**
   * Continues with the events after a position in the log, and after the event with the id `known`. If the first page of
   * the log does not contain that event, a gap is reported first.
   */
  readLog(position: string, known?: string): void {
    // The log has what the feed has delivered meanwhile, in its place among the events before it.
    this.#items = [];
    this.#last = '0';
    this.#known = known;
    this.#continueInLog(position);
  }

  /** Reads the log ahead of the feed. What the feed has delivered so far comes first. */
  readAhead(): void {
    this.#continueInLog(this.#feed.position);
  }

  #continueInLog(position: string): void {
    this.#cursor = new LogCursor(this.#log, this.#log.streamOf(this.scope.tenant), position);
    this.#othersLeft = this.#options.maxOthers;
  }

  /** Skips the events that the feed has delivered so far. */
  skip(): void {
    this.#items = [];
    this.#cursor = undefined;
    this.#isTrimmed = false;
    this.#last = this.#feed.position;
  }

  take(event: SessionEvent): void {
    if (this.#cursor !== undefined || !isAfter(event.position, this.#last)) return;
    this.#put(event);
    if (this.#items.length > MAX_WAITING) this.#continueInLog(event.position);
    this.wake();
  }

  #put(...events: readonly SessionEvent[]): void {
    this.#items.push(...events);
    this.#last = events.at(-1)?.position ?? this.#last;
  }

  lose(): void {
    // A store that was restored from older data uses its positions again.
    this.#last = '0';
    if (this.#cursor !== undefined) this.#mustReadAgain = true;
    else if (this.#items.at(-1) !== 'gap') this.#items.push('gap');
    this.wake();
  }

  /** The consumer sees the error after it has taken the waiting events. */
  fail(error: StoreError): void {
    this.#error = error;
    this.wake();
  }

  /** Waits until an item arrives, the reader is closed, or `ms` milliseconds have passed. */
  async wait(ms: number): Promise<void> {
    if (!this.#isClosed && this.#error === undefined && this.#items.length === 0) await this.#pause.wait(ms);
  }

  /** Ends the wait. */
  wake(): void {
    this.#pause.end();
  }

  readonly end = (): void => {
    this.#options.signal?.removeEventListener('abort', this.end);
    this.#isClosed = true;
    this.#items = [];
    this.#feed.remove(this);
    this.wake();
  };

  /**
   * The next item. Undefined if `ms` milliseconds have passed without one, if the reader has just caught up with the
   * feed, or if it is closed.
   */
  async next(ms: number): Promise<Result<ReaderItem, WatchError> | undefined> {
    for (let mayWait = ms > 0; !this.#isClosed; ) {
      const item = this.#items.shift();
      if (item !== undefined) return ok(item);
      if (this.#error !== undefined) return err(this.#error);
      if (this.#cursor !== undefined) {
        mayWait = false;
        if (!(await this.#readPage(this.#cursor))) await this.wait(RETRY_MS);
      } else {
        if (!mayWait) return undefined;
        mayWait = false;
        await this.wait(ms);
      }
    }
    return undefined;
  }

  /** Reads the next page of the log. Returns to the feed once it has caught up. Returns false if the read failed. */
  async #readPage(cursor: LogCursor): Promise<boolean> {
    this.#mustReadAgain = false;
    const feedBefore = this.#feed.position;
    const page = await cursor.read(this.scope);
    if (page.isErr()) return false;
    const { events, hasMoved, isTrimmed } = page.value;
    const { tenant, sessionId } = this.scope;
    const own = events.filter(
      (event) => event.tenant === tenant && (sessionId === undefined || event.sessionId === sessionId),
    );
    this.#isTrimmed ||= isTrimmed;
    this.#othersLeft -= PAGE - own.length;
    // A log that was put back to older data may never reach the position of the feed, until the feed has found it out.
    const mayReach = hasMoved || this.#feed.position !== feedBefore;
    const isAhead = isAfter(this.#feed.position, cursor.position);
    const isBehind = this.#mustReadAgain || (mayReach && isAhead);
    const fresh = this.#afterKnown(own);
    // The position of a gap is that of the event after it.
    if (this.#isTrimmed && (fresh.length > 0 || !isBehind)) {
      this.#items.push('gap');
      this.#isTrimmed = false;
    }
    this.#put(...fresh);
    if (isBehind && this.#othersLeft > 0) return true;
    if (isBehind) this.#items.push('gap');
    this.#cursor = undefined;
    return true;
  }

  #afterKnown(own: readonly SessionEvent[]): readonly SessionEvent[] {
    if (this.#known === undefined) return own;
    const at = own.findIndex(({ id }) => id === this.#known);
    this.#known = undefined;
    this.#isTrimmed = at < 0;
    return own.slice(at + 1);
  }
}
