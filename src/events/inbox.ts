import type { SessionEvent } from './event.js';
import type { Subscriber } from './feed.js';

/** So many events may wait for a consumer; beyond, they are dropped and it has to look again. */
const ROOM = 256;

/** What waits for one consumer, bounded however slow it is. */
export class Inbox implements Subscriber {
  readonly tenant: string;
  readonly sessionId: string | undefined;
  #events: SessionEvent[] = [];
  #hasMissed = false;
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(tenant: string, sessionId: string | undefined) {
    this.tenant = tenant;
    this.sessionId = sessionId;
  }

  take(event: SessionEvent): void {
    if (this.#events.length >= ROOM) {
      this.miss();
      return;
    }
    this.#events.push(event);
    this.#wake();
  }

  miss(): void {
    this.#events = [];
    this.#hasMissed = true;
    this.#wake();
  }

  /** Wakes the consumer for good. */
  close(): void {
    this.#events = [];
    this.#isClosed = true;
    this.#wake();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether events were dropped since the last call. */
  hasMissed(): boolean {
    const missed = this.#hasMissed;
    this.#hasMissed = false;
    return missed;
  }

  next(): SessionEvent | undefined {
    return this.#events.shift();
  }

  /** Waits for something to happen, at most until a time that is `ms` away. */
  wait(ms: number): Promise<void> {
    if (this.#isClosed || this.#hasMissed || this.#events.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = ms <= LONGEST_TIMER ? setTimeout(() => this.#wake(), Math.max(0, ms)) : undefined;
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => undefined;
        resolve();
      };
    });
  }
}

/** Of `setTimeout`, in milliseconds. What is due later is looked at again when something happens. */
const LONGEST_TIMER = 2 ** 31 - 1;
