import { err, ok, type Result } from 'neverthrow';
import { callHost } from '../session/call-host.js';
import type { StoreError } from '../session/errors.js';
import type { SessionEvent } from '../session/session-event.js';
import { keyText } from '../session/session-key.js';
import type { EventLog, EventScope } from '../store/session-store.js';
import { inOwnContext } from './in-own-context.js';
import { LogCursor, PAGE } from './log-cursor.js';
import { isLogClosed, safely } from './safely.js';
import { InterruptibleWait } from './timers.js';

/**
 * Bounds of the milliseconds between two polls of a store without `listen`. Within them, the
 * interval is a tenth of the time since the last event.
 */
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 500;

/**
 * Minimum milliseconds between two reads after changes of this process, so that many changes cost
 * few reads.
 */
const MIN_WAKE_MS = 20;

export interface FeedConsumer {
  /** The session, or the tenant, that the consumer watches. Undefined for the whole stream. */
  readonly scope: EventScope | undefined;
  /**
   * Something in the scope has changed: one of these events, or anything if events may be missing
   * (undefined).
   */
  wake(events: readonly SessionEvent[] | undefined): void;
  /** The last call: the log can no longer be read. */
  fail(error: StoreError): void;
}

const WHOLE = '';

/** A session id is never empty, so the key of a tenant equals no key of a session. */
const keyOf = (scope: EventScope | undefined): string => {
  if (scope === undefined) return WHOLE;
  const { tenant, sessionId = '' } = scope;
  return keyText({ tenant, id: sessionId });
};

/**
 * Reads one stream and wakes those of its consumers whose sessions have changed. Where events may
 * be missing, it wakes all. There is one request at a time, from the first consumer to the last. If
 * the store is unreachable, the feed retries and continues at the same position.
 */
export class Feed {
  readonly log: EventLog;
  readonly stream: string;
  readonly #onIdle: () => void;
  readonly #cursor: LogCursor;
  readonly #consumers = new Map<string, Set<FeedConsumer>>();
  readonly #pause: InterruptibleWait;
  /** By the machine's time, because a manual clock may not advance. */
  readonly #throttle = new InterruptibleWait();
  #opening: Promise<Result<void, StoreError>> | undefined;
  #isRunning = false;
  /** Whether the store notifies the feed of new events. */
  #isListening = false;
  /** Whether events may have been logged since the last read began. */
  #hasNewEvents = false;
  #lastReadAt = 0;
  #lastEventAt = performance.now();

  /** `onIdle` is called when the last consumer has left. */
  constructor(log: EventLog, stream: string, pause: InterruptibleWait, onIdle: () => void) {
    this.#pause = pause;
    this.log = log;
    this.stream = stream;
    this.#onIdle = onIdle;
    this.#cursor = new LogCursor(log, stream);
  }

  /**
   * Wakes the consumer for all events that are logged after this call, until `remove` is called.
   */
  async add(consumer: FeedConsumer): Promise<Result<void, StoreError>> {
    const key = keyOf(consumer.scope);
    this.#consumers.set(key, (this.#consumers.get(key) ?? new Set()).add(consumer));
    this.#opening ??= this.#cursor.toEnd();
    const opened = await this.#opening;
    if (opened.isOk() && !this.#isRunning) this.#start();
    return opened;
  }

  remove(consumer: FeedConsumer): void {
    const key = keyOf(consumer.scope);
    const others = this.#consumers.get(key);
    if (others?.delete(consumer) !== true) return;
    if (others.size === 0) this.#consumers.delete(key);
    if (!this.#isIdle) return;
    this.#onIdle();
    this.#pause.end();
    this.#throttle.end();
  }

  wake(): void {
    if (!this.#isListening && !this.#hasNewEvents) this.#onNewEvents();
  }

  get #isIdle(): boolean {
    return this.#consumers.size === 0;
  }

  #onNewEvents(): void {
    this.#hasNewEvents = true;
    this.#pause.end();
  }

  #start(): void {
    this.#isRunning = true;
    void inOwnContext(() => this.#run());
  }

  async #run(): Promise<void> {
    const stopListening = this.#listen();
    this.#isListening = stopListening !== undefined;
    while (!this.#isIdle) {
      const read = await safely(() => this.#read());
      if (read.isErr() && this.#isOver(read.error)) {
        this.#forAll((consumer) => consumer.fail(read.error));
        break;
      }
      // The last consumer may have left during the read.
      if (this.#isIdle) break;
      if (read.isErr()) await this.#pause.wait(this.#pollMs());
      else if (read.value === 'nothing') await this.#untilNext();
    }
    stopListening?.();
    this.#isListening = false;
    this.#isRunning = false;
  }

  #isOver(error: StoreError): boolean {
    return error.type === 'misconfigured' || isLogClosed(this.log);
  }

  async #untilNext(): Promise<void> {
    const waitMs = this.#isListening ? Number.POSITIVE_INFINITY : this.#pollMs();
    if (!this.#hasNewEvents) await this.#pause.wait(waitMs);
    const early = this.#lastReadAt + MIN_WAKE_MS - performance.now();
    if (this.#isListening || early <= 0 || !this.#hasNewEvents || this.#isIdle) return;
    await Promise.race([this.#throttle.wait(early), this.#pause.wait(MIN_WAKE_MS)]);
    this.#throttle.end();
    this.#pause.end();
  }

  #pollMs(): number {
    const quietMs = performance.now() - this.#lastEventAt;
    return Math.min(Math.max(quietMs / 10, MIN_POLL_MS), MAX_POLL_MS);
  }

  /** A store whose `listen` throws is polled, like one without `listen`. */
  #listen(): (() => void) | undefined {
    return callHost(() => this.log.listen?.(() => this.#onNewEvents(), this.stream));
  }

  #forAll(call: (consumer: FeedConsumer) => void): void {
    for (const consumers of this.#consumers.values())
      for (const consumer of consumers) call(consumer);
  }

  /** `more` if another read may return events immediately. */
  async #read(): Promise<Result<'more' | 'nothing', StoreError>> {
    this.#hasNewEvents = false;
    this.#lastReadAt = performance.now();
    const page = await this.#cursor.read();
    if (page.isErr()) return err(page.error);
    const { events, isTrimmed } = page.value;
    if (isTrimmed) this.#forAll((consumer) => consumer.wake(undefined));
    else this.#wakeConsumers(events);
    if (events.length > 0) this.#lastEventAt = performance.now();
    // A store with `listen` sends one notification for all these events, so the next page must be
    // read without one.
    const hasMore = events.length >= PAGE || (this.#isListening && events.length > 0);
    return ok(hasMore ? 'more' : 'nothing');
  }

  #wakeConsumers(events: readonly SessionEvent[]): void {
    const changed = new Set(
      events.flatMap((event) => [WHOLE, keyOf({ ...event, sessionId: undefined }), keyOf(event)]),
    );
    for (const key of changed)
      for (const consumer of this.#consumers.get(key) ?? []) consumer.wake(events);
  }
}
