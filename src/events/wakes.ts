import { err, ok, type Result } from 'neverthrow';
import type { StoreError, WatchError } from '../session/errors.js';
import type { WatchSignal } from '../session/session-event.js';
import { noEvents } from '../store/no-events.js';
import type { EventLog, EventScope } from '../store/session-store.js';
import type { EventHub } from './event-hub.js';
import type { Feed, FeedConsumer } from './feed.js';
import { InterruptibleWait } from './interruptible-wait.js';
import { safely } from './safely.js';
import type { WatchSource } from './watch-source.js';

/** Tells a watch when to read. */
export class Wakes implements FeedConsumer {
  readonly scope: EventScope;
  readonly #feed: Feed;
  readonly #signal: WatchSignal | undefined;
  readonly #pause: InterruptibleWait;
  #isWoken = false;
  #isClosed = false;
  #error: StoreError | undefined;

  readonly hub: EventHub;
  /** The log, and the stream in it that wakes the watch. */
  readonly log: EventLog;
  readonly stream: string;

  constructor(hub: EventHub, feed: Feed, pause: InterruptibleWait, scope: EventScope, signal: WatchSignal | undefined) {
    this.hub = hub;
    this.#feed = feed;
    this.log = feed.log;
    this.stream = feed.stream;
    this.#pause = pause;
    this.scope = scope;
    this.#signal = signal;
    signal?.addEventListener('abort', this.end);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Set if the log cannot be read any more. */
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

  /** Waits until it is woken or closed, or for `ms` milliseconds of the clock of the service. */
  async wait(ms: number): Promise<void> {
    if (this.#isWoken || this.#isClosed || this.#error !== undefined) return;
    await this.#pause.wait(ms);
  }

  /** Waits for `ms` milliseconds even if it is woken, but not once it is closed. */
  async pause(ms: number): Promise<void> {
    if (this.#isClosed || this.#error !== undefined) return;
    await this.#pause.wait(ms);
  }

  readonly end = (): void => {
    this.#signal?.removeEventListener('abort', this.end);
    this.#isClosed = true;
    this.#feed.remove(this);
    this.#pause.end();
  };
}

/** Opens the wakes of a watch. They miss no event that is logged after this call. */
export const openWakes = async (
  { store, hub, after }: WatchSource,
  scope: EventScope,
  signal: WatchSignal | undefined,
): Promise<Result<Wakes, WatchError>> => {
  const log = store.events;
  if (log === undefined || hub === undefined) return err(noEvents);
  const opened = await safely(() => log.open?.() ?? ok());
  if (opened.isErr()) return err(opened.error);
  const feed = hub.feedOf(scope.tenant);
  const wakes = new Wakes(hub, feed, new InterruptibleWait(after), scope, signal);
  const added = await feed.add(wakes);
  if (added.isErr() || signal?.aborted) wakes.end();
  return added.map(() => wakes);
};
