import type { SessionEvent } from './event.js';

/** So many events may wait for a consumer; beyond, they are dropped and it has to look again. */
const ROOM = 256;

/** Of `setTimeout`, in milliseconds. What is due later is looked at again when something happens. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** What one waits in until another wakes it, or until a time has passed. */
export class Pause {
  #end: () => void = () => undefined;

  end(): void {
    this.#end();
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms <= LONGEST_TIMER ? setTimeout(() => this.#end(), Math.max(0, ms)) : undefined;
      this.#end = () => {
        clearTimeout(timer);
        this.#end = () => undefined;
        resolve();
      };
    });
  }
}

/** What waits for one consumer, bounded however slow it is. */
export class Inbox {
  readonly tenant: string;
  /** Nothing for the events of all the tenant's sessions. */
  readonly sessionId: string | undefined;
  readonly #pause = new Pause();
  #events: SessionEvent[] = [];
  #hasMissed = false;
  #isClosed = false;

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
    this.#pause.end();
  }

  /** Events are gone before they were read. */
  miss(): void {
    this.#events = [];
    this.#hasMissed = true;
    this.#pause.end();
  }

  /** Wakes the consumer for good. */
  close(): void {
    this.#events = [];
    this.#isClosed = true;
    this.#pause.end();
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
  async wait(ms: number): Promise<void> {
    if (!this.#isClosed && !this.#hasMissed && this.#events.length === 0) await this.#pause.wait(ms);
  }
}
