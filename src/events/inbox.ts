import type { SessionEvent } from './event.js';
import { Pause } from './pause.js';

/** So many events may wait for a consumer; beyond, they are dropped and it has to look again. */
const ROOM = 256;

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
