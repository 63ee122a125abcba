import type { StoreError } from '../errors.js';
import type { EventLog } from '../store/session-store.js';
import type { Inbox } from './inbox.js';
import { LogCursor, PAGE } from './log-cursor.js';
import { Pause } from './pause.js';

/**
 * Bounds of the milliseconds between two polls of a store without `listen`. Within them, the interval is a tenth of the
 * time since the last event.
 */
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 500;

/** Minimum milliseconds between two reads after changes of this process, so that many changes cost few reads. */
const MIN_WAKE_MS = 20;

/** A session id is never empty, so the key of a tenant equals no key of a session. */
const keyOf = (tenant: string, sessionId = ''): string => `${tenant.length}/${tenant}${sessionId}`;

/**
 * Reads one stream for all its consumers in this process, with one request at a time, and none while there are no
 * consumers. If the store is unreachable, the feed retries and continues at the same position.
 */
export class Feed {
  readonly #log: EventLog;
  readonly #stream: string;
  readonly #cursor: LogCursor;
  readonly #inboxes = new Map<string, Set<Inbox>>();
  readonly #pause = new Pause();
  #isRunning = false;
  /** Whether the store notifies the feed of new events. */
  #isListening = false;
  /** Whether events may have been logged since the last read began. */
  #hasNewEvents = false;
  #lastReadAt = 0;
  #lastEventAt = performance.now();

  constructor(log: EventLog, stream: string, place: string) {
    this.#log = log;
    this.#stream = stream;
    this.#cursor = new LogCursor(log, stream, place);
  }

  /** The position in the log after the last event that was read. */
  get place(): string {
    return this.#cursor.place;
  }

  get isIdle(): boolean {
    return this.#inboxes.size === 0;
  }

  add(inbox: Inbox): void {
    const key = keyOf(inbox.tenant, inbox.sessionId);
    this.#inboxes.set(key, (this.#inboxes.get(key) ?? new Set()).add(inbox));
    if (!this.#isRunning) void this.#run();
  }

  remove(inbox: Inbox): void {
    const key = keyOf(inbox.tenant, inbox.sessionId);
    const inboxes = this.#inboxes.get(key);
    inboxes?.delete(inbox);
    if (inboxes?.size === 0) this.#inboxes.delete(key);
    if (this.isIdle) this.#pause.end();
  }

  /** Reads soon, because this process has changed a session. */
  wake(): void {
    if (!this.#isListening && !this.#hasNewEvents) this.#onNewEvents();
  }

  #onNewEvents(): void {
    this.#hasNewEvents = true;
    this.#pause.end();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const stopListening = this.#listen();
    this.#isListening = stopListening !== undefined;
    while (!this.isIdle) {
      const read = await this.#read();
      // The last consumer may have left during the read.
      if (read === 'more' || this.isIdle) continue;
      const isFailure = read !== 'nothing';
      if (isFailure && (read.type === 'misconfigured' || this.#isClosed())) {
        for (const inbox of this.#all()) inbox.fail(read);
        break;
      }
      if (this.#isListening && !isFailure) {
        if (!this.#hasNewEvents) await this.#pause.wait(Number.POSITIVE_INFINITY);
        continue;
      }
      if (!this.#hasNewEvents) await this.#pause.wait(this.#pollMs());
      const early = this.#lastReadAt + MIN_WAKE_MS - performance.now();
      if (early > 0 && !this.isIdle) await this.#pause.wait(early);
    }
    stopListening?.();
    this.#isListening = false;
    this.#isRunning = false;
  }

  #pollMs(): number {
    const quietMs = performance.now() - this.#lastEventAt;
    return Math.min(Math.max(quietMs / 10, MIN_POLL_MS), MAX_POLL_MS);
  }

  /** A store whose `listen` throws is polled, like one without `listen`. */
  #listen(): (() => void) | undefined {
    try {
      return this.#log.listen?.(() => this.#onNewEvents(), this.#stream);
    } catch {
      return undefined;
    }
  }

  #isClosed(): boolean {
    try {
      return this.#log.isClosed?.() === true;
    } catch {
      return false;
    }
  }

  #all(): readonly Inbox[] {
    return [...this.#inboxes.values()].flatMap((inboxes) => [...inboxes]);
  }

  /** `more` if another read may return events at once. */
  async #read(): Promise<'more' | 'nothing' | StoreError> {
    this.#hasNewEvents = false;
    this.#lastReadAt = performance.now();
    const page = await this.#cursor.read();
    if (page.isErr()) return page.error;
    const { events, isTrimmed } = page.value;
    if (isTrimmed) for (const inbox of this.#all()) inbox.skip();
    for (const event of events) {
      for (const inbox of this.#inboxes.get(keyOf(event.tenant)) ?? []) inbox.take(event);
      for (const inbox of this.#inboxes.get(keyOf(event.tenant, event.sessionId)) ?? []) inbox.take(event);
    }
    if (events.length > 0) this.#lastEventAt = performance.now();
    // A store with `listen` sends one notification for all these events, so the next page must be read without one.
    return events.length >= (this.#isListening ? 1 : PAGE) ? 'more' : 'nothing';
  }
}
