import { err, type Result } from 'neverthrow';
import type { StoreError } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { WatchSignal } from '../session/session-event.js';
import { noEvents } from '../store/event-log.js';
import type { EventScope } from '../store/session-store.js';
import type { EventHub } from './event-hub.js';
import type { Feed, FeedConsumer } from './feed.js';
import { openLog } from './safely.js';
import { InterruptibleWait, TICK_MS, type Ticked } from './timers.js';
import type { WatchSource } from './watch-source.js';

/** Up to this many milliseconds, a watch waits by a timer of its own, not by ticks. */
const NEAR_MS = 2 * TICK_MS;

export class Wakes implements FeedConsumer, Ticked {
  readonly scope: EventScope;
  /** The log, and the stream in it that wakes the watch. */
  readonly feed: Feed;
  readonly hub: EventHub;
  readonly #signal: WatchSignal | undefined;
  readonly #pause: InterruptibleWait;
  readonly #onAbort: (() => void) | undefined;
  #isWoken = false;
  /** When a tick ends the wait. */
  #tickAt = Number.POSITIVE_INFINITY;
  #isClosed = false;
  #error: StoreError | undefined;

  constructor(
    hub: EventHub,
    feed: Feed,
    pause: InterruptibleWait,
    scope: EventScope,
    signal: WatchSignal | undefined,
  ) {
    this.hub = hub;
    this.feed = feed;
    this.#pause = pause;
    this.scope = scope;
    this.#signal = signal;
    if (signal === undefined) return;
    this.#onAbort = () => this.end();
    signal.addEventListener('abort', this.#onAbort);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether it may be woken again: it is not closed, and the log can be read. */
  get isOn(): boolean {
    return !this.#isClosed && this.#error === undefined;
  }

  get error(): StoreError | undefined {
    return this.#error;
  }

  wake(): void {
    this.#isWoken = true;
    this.#pause.end();
  }

  fail(error: StoreError): void {
    this.#error = error;
    this.#pause.end();
  }

  /** Whether it was woken since the last call. */
  take(): boolean {
    const wasWoken = this.#isWoken;
    this.#isWoken = false;
    return wasWoken;
  }

  /** Waits until it is woken or closed. */
  wait(): Promise<undefined> | undefined {
    if (this.#isWoken) return undefined;
    return this.pause(Number.POSITIVE_INFINITY);
  }

  /**
   * Waits until it is woken or closed, until `nextAt`, or until soon after `lookAt`: these are
   * times of the service, of which `now` is the present one. It may end before.
   */
  waitUntil(now: number, nextAt: number, lookAt: number): Promise<undefined> | undefined {
    if (this.#isWoken || this.#isClosed) return undefined;
    if (nextAt - now <= NEAR_MS) return this.pause(nextAt - now);
    this.#tickAt = Math.min(nextAt - NEAR_MS, lookAt);
    this.hub.ticker.add(this);
    return this.wait();
  }

  /**
   * Ends a wait, so that the watch sees what is due, and waits on by a timer of its own if it is
   * soon.
   */
  tick(now: number): void {
    if (now < this.#tickAt) return;
    this.hub.ticker.remove(this);
    this.#pause.end();
  }

  /** Waits for `ms` milliseconds even if it is woken, but not once it is closed. */
  pause(ms: number): Promise<undefined> | undefined {
    return this.isOn ? this.#pause.wait(ms) : undefined;
  }

  end(): void {
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#isClosed = true;
    this.feed.remove(this);
    this.hub.ticker.remove(this);
    this.#pause.end();
  }
}

/** Opens the wakes of a watch. They miss no event that is logged after this call. */
export const openWakes = async (
  { store, hub, after }: WatchSource,
  scope: EventScope,
  signal: WatchSignal | undefined,
): Promise<Result<Wakes, OperationErrors['watch']>> => {
  const log = store.events;
  if (log === undefined || hub === undefined) return err(noEvents);
  const opened = await openLog(log);
  if (opened.isErr()) return err(opened.error);
  const feed = hub.feedOf(scope.tenant);
  const wakes = new Wakes(hub, feed, new InterruptibleWait(after), scope, signal);
  const added = await feed.add(wakes);
  if (added.isErr() || signal?.aborted) wakes.end();
  return added.map(() => wakes);
};
