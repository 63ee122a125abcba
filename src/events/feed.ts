import type { StoreUnavailable } from '../errors.js';
import type { EventLog } from '../store.js';
import type { Inbox } from './inbox.js';
import { LogCursor } from './log-cursor.js';
import { Pause } from './pause.js';

/**
 * Milliseconds between two looks at a stream whose store does not say when there is something new: a tenth of the time
 * for which nothing has come, within these bounds.
 */
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 1000;

/** No id of a session is empty. */
const keyOf = (tenant: string, sessionId = ''): string => `${tenant.length}/${tenant}${sessionId}`;

/**
 * Reads one stream for all consumers in this process, however many: one request at a time, and none while there is no
 * consumer. While the store cannot be reached it asks again, and goes on where it was.
 */
export class Feed {
  readonly #log: EventLog;
  readonly #stream: string;
  readonly #cursor: LogCursor;
  readonly #inboxes = new Map<string, Set<Inbox>>();
  readonly #pause = new Pause();
  #isRunning = false;
  /** Something may have come since the last read began. */
  #isNew = false;
  #lastEventAt = performance.now();

  constructor(log: EventLog, stream: string, place: string) {
    this.#log = log;
    this.#stream = stream;
    this.#cursor = new LogCursor(log, stream, place);
  }

  /** The place in the log behind what has been passed on. */
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

  /** Looks at once: there may be something new. */
  wake(): void {
    this.#isNew = true;
    this.#pause.end();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const stopListening = this.#listen();
    while (!this.isIdle) {
      const read = await this.#read();
      // The last consumer may have left while the store was being asked.
      if (read === 'events' || this.#isNew || this.isIdle) continue;
      if (read !== 'nothing' && this.#isClosed()) {
        for (const inbox of this.#all()) inbox.fail(read);
        break;
      }
      const isPolling = read !== 'nothing' || stopListening === undefined;
      await this.#pause.wait(isPolling ? this.#pollMs() : Number.POSITIVE_INFINITY);
    }
    stopListening?.();
    this.#isRunning = false;
  }

  #pollMs(): number {
    const quietMs = performance.now() - this.#lastEventAt;
    return Math.min(Math.max(quietMs / 10, MIN_POLL_MS), MAX_POLL_MS);
  }

  /** A store that breaks its contract is polled, as one that does not listen. */
  #listen(): (() => void) | undefined {
    try {
      return this.#log.listen?.(() => this.wake(), this.#stream);
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

  async #read(): Promise<'events' | 'nothing' | StoreUnavailable> {
    this.#isNew = false;
    const page = await this.#cursor.read();
    if (page.isErr()) return page.error;
    const { events, isTrimmed } = page.value;
    if (isTrimmed) for (const inbox of this.#all()) inbox.skip();
    for (const event of events) {
      for (const inbox of this.#inboxes.get(keyOf(event.tenant)) ?? []) inbox.take(event);
      for (const inbox of this.#inboxes.get(keyOf(event.tenant, event.sessionId)) ?? []) inbox.take(event);
    }
    if (events.length === 0) return 'nothing';
    this.#lastEventAt = performance.now();
    return 'events';
  }
}
