import type { StoreError } from '../errors.js';
import { Pause } from './pause.js';
import { isAfter } from './position.js';
import type { SessionEvent } from './session-event.js';

/** Maximum number of waiting events. A consumer that is further behind reads the log itself. */
const MAX_WAITING = 256;

/** The bounded queue between a feed and one consumer. */
export class Inbox {
  readonly tenant: string;
  /** Undefined for the events of all sessions of the tenant. */
  readonly sessionId: string | undefined;
  readonly #pause = new Pause();
  #items: (SessionEvent | 'skipped')[] = [];
  /** Position of the last event that was added. */
  #last = '0';
  /** Set while the inbox accepts no events because the consumer reads the log itself: the position to read from. */
  #stoppedAt: string | undefined;
  /** The position up to which the consumer has read the log itself. */
  #readUpTo: string | undefined;
  #error: StoreError | undefined;
  #isClosed = false;

  constructor(tenant: string, sessionId: string | undefined) {
    this.tenant = tenant;
    this.sessionId = sessionId;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Set when no more events will arrive. */
  get error(): StoreError | undefined {
    return this.#error;
  }

  /** The position from which the consumer must read the log itself, after it has taken the waiting events. */
  get stoppedAt(): string | undefined {
    return this.#stoppedAt;
  }

  take(event: SessionEvent): void {
    if (this.#stoppedAt !== undefined) return;
    if (this.#readUpTo !== undefined && !isAfter(event.position, this.#readUpTo)) return;
    this.#readUpTo = undefined;
    if (this.#items.length >= MAX_WAITING) {
      this.#stoppedAt = this.#last;
      return;
    }
    this.#last = event.position;
    this.#items.push(event);
    this.#pause.end();
  }

  /** Marks that the feed could not read some events. Those behind them may have earlier positions than those before. */
  skip(): void {
    this.#readUpTo = undefined;
    if (this.#stoppedAt !== undefined || this.#items.at(-1) === 'skipped') return;
    this.#items.push('skipped');
    this.#pause.end();
  }

  /** Stops accepting events: the consumer reads the log itself from this position. */
  stop(place: string): void {
    this.#items = [];
    this.#stoppedAt = place;
  }

  /** Accepts events after this position, up to which the consumer has read the log itself. */
  resume(place: string): void {
    this.#stoppedAt = undefined;
    this.#readUpTo = place;
    this.#last = place;
  }

  /** No more events will arrive. The consumer sees the error after it has taken the waiting events. */
  fail(error: StoreError): void {
    this.#error = error;
    this.#pause.end();
  }

  /** Ends the wait of the consumer, if it waits. */
  wake(): void {
    this.#pause.end();
  }

  /** Wakes the consumer and ends further waits at once. */
  close(): void {
    this.#items = [];
    this.#isClosed = true;
    this.#pause.end();
  }

  peek(): SessionEvent | 'skipped' | undefined {
    return this.#items[0];
  }

  next(): SessionEvent | 'skipped' | undefined {
    return this.#items.shift();
  }

  /** Waits until an event arrives, at most `ms` milliseconds. */
  async wait(ms: number): Promise<void> {
    if (!this.#isClosed && this.#error === undefined && this.#items.length === 0) await this.#pause.wait(ms);
  }
}
