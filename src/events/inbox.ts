import type { StoreUnavailable } from '../errors.js';
import { Pause } from './pause.js';
import { isBehind } from './position.js';
import type { SessionEvent } from './session-event.js';

/** How many events wait here at most. A consumer that is further behind reads them from the log. */
const ROOM = 256;

/** The events that a feed has for one consumer, bounded however slow that is. */
export class Inbox {
  readonly tenant: string;
  /** Undefined for the events of all the tenant's sessions. */
  readonly sessionId: string | undefined;
  readonly #pause = new Pause();
  #items: (SessionEvent | 'skipped')[] = [];
  /** Where the last event stands that was taken. */
  #last = '0';
  /** The place behind which it takes nothing, since the consumer reads the log itself. */
  #stoppedAt: string | undefined;
  /** The place up to which the consumer has read the log itself. */
  #readUpTo: string | undefined;
  #error: StoreUnavailable | undefined;
  #isClosed = false;

  constructor(tenant: string, sessionId: string | undefined) {
    this.tenant = tenant;
    this.sessionId = sessionId;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Why nothing comes any more. */
  get error(): StoreUnavailable | undefined {
    return this.#error;
  }

  /** The place from which on the consumer has to read the log itself, once it has taken what is here. */
  get stoppedAt(): string | undefined {
    return this.#stoppedAt;
  }

  take(event: SessionEvent): void {
    if (this.#stoppedAt !== undefined) return;
    if (this.#readUpTo !== undefined && !isBehind(event.position, this.#readUpTo)) return;
    this.#readUpTo = undefined;
    if (this.#items.length >= ROOM) {
      this.#stoppedAt = this.#last;
      return;
    }
    this.#last = event.position;
    this.#items.push(event);
    this.#pause.end();
  }

  /** The feed could not read some events. */
  skip(): void {
    if (this.#stoppedAt !== undefined || this.#items.at(-1) === 'skipped') return;
    this.#items.push('skipped');
    this.#pause.end();
  }

  /** Takes nothing any more, as the consumer reads the log itself from a place on. */
  stop(place: string): void {
    this.#items = [];
    this.#stoppedAt = place;
  }

  /** Takes what is behind a place, up to which the consumer has read the log itself. */
  resume(place: string): void {
    this.#stoppedAt = undefined;
    this.#readUpTo = place;
    this.#last = place;
  }

  /** Nothing will come any more, which the consumer learns once it has taken what is here. */
  fail(error: StoreUnavailable): void {
    this.#error = error;
    this.#pause.end();
  }

  /** Wakes the consumer for good. */
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

  /** Waits for something to happen, for at most so many milliseconds. */
  async wait(ms: number): Promise<void> {
    if (!this.#isClosed && this.#error === undefined && this.#items.length === 0) await this.#pause.wait(ms);
  }
}
