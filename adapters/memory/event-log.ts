import { nanoid } from 'nanoid';
import { ok, type Result } from 'neverthrow';
import type { EventPage, SessionEvent } from '../../src/events/event.js';
import { eventOf, type Made, type Tidings } from '../../src/events/tidings.js';
import type { EventLog, SessionKey } from '../../src/store.js';

/** What was told of one change. */
interface Told {
  readonly key: SessionKey;
  readonly made: Made;
  readonly tidings: Tidings;
}

/** The one stream of a store in memory, cut to a number of events. Positions count them. */
export class MemoryEventLog implements EventLog {
  readonly #length: number;
  /** In a ring: what was told at a position is at its remainder. Events are made of it when somebody reads. */
  readonly #kept: Told[] = [];
  #told = 0;
  readonly #listeners = new Set<() => void>();

  constructor(length: number) {
    this.#length = length;
  }

  newBirth(): string {
    return nanoid(12);
  }

  tell(key: SessionKey, made: Made, tidings: Tidings): void {
    this.#told += 1;
    this.#kept[this.#told % this.#length] = { key, made, tidings };
    for (const listener of this.#listeners) listener();
  }

  streamOf(): string {
    return '';
  }

  latest(): Result<string, never> {
    return ok(String(this.#told));
  }

  read(_stream: string, position: string, limit: number): Result<EventPage, never> {
    const from = /^\d{1,15}$/.test(position) ? Number(position) : 0;
    const first = Math.max(from, this.#told - this.#length) + 1;
    const last = Math.min(first + limit - 1, this.#told);
    const events: SessionEvent[] = [];
    for (let at = first; at <= last; at += 1) {
      const told = this.#kept[at % this.#length];
      if (told !== undefined) events.push(eventOf(told.key, told.made, told.tidings, String(at)));
    }
    return ok({ events, position: String(Math.max(last, from)), isTrimmed: first > from + 1 });
  }

  /** Every change has been told: it is told by the very call that makes it. */
  repeat(): Result<undefined, never> {
    return ok(undefined);
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
