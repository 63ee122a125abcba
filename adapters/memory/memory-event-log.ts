import { ok, type Result } from 'neverthrow';
import { type ChangeId, type EventDetail, eventOf } from '../../src/session/event-detail.js';
import type { EventPage, SessionEvent } from '../../src/session/session-event.js';
import type { EventLog, EventScope, SessionKey } from '../../src/store/session-store.js';

/** From event to event, the time does not decrease, and the number increases by 1. */
interface Position {
  readonly ms: number;
  readonly number: number;
}

interface LoggedEvent extends Position {
  readonly key: SessionKey;
  readonly change: ChangeId;
  readonly detail: EventDetail;
}

const BEGINNING: Position = { ms: 0, number: 0 };

const textOf = ({ ms, number }: Position): string => `${ms}-${number}`;

const positionOf = (text: string): Position => {
  const [ms = 0, number = 0] = text.split('-').map(Number);
  return { ms, number };
};

const isAfter = (position: Position, other: Position): boolean =>
  position.ms > other.ms || (position.ms === other.ms && position.number > other.number);

const isInScope = ({ tenant, id }: SessionKey, of: EventScope | undefined): boolean =>
  of === undefined || (tenant === of.tenant && (of.sessionId === undefined || id === of.sessionId));

export class MemoryEventLog implements EventLog {
  readonly #length: number;
  /** A ring buffer. Reads create the events. */
  readonly #ring: LoggedEvent[] = [];
  #latest = BEGINNING;
  #dropped = BEGINNING;
  readonly #listeners = new Set<() => void>();

  constructor(length: number) {
    this.#length = length;
  }

  log(key: SessionKey, change: ChangeId, detail: EventDetail): void {
    const ms = Math.max(Date.now(), this.#latest.ms);
    const number = this.#latest.number + 1;
    const at = number % this.#length;
    const logged: LoggedEvent = { key, change, detail, ms, number };
    this.#dropped = this.#ring[at] ?? this.#dropped;
    this.#ring[at] = logged;
    this.#latest = logged;
    for (const listener of this.#listeners) listener();
  }

  streams(): readonly string[] {
    return [this.streamOf()];
  }

  streamOf(): string {
    return '';
  }

  latest(): Result<string, never> {
    return ok(textOf(this.#latest));
  }

  now(): Result<number, never> {
    return ok(Date.now());
  }

  read(
    _stream: string,
    position: string,
    limit: number,
    of?: EventScope,
  ): Result<EventPage, never> {
    const from = positionOf(position);
    const first = this.#firstAfter(from);
    const last = Math.min(first + limit - 1, this.#latest.number);
    const events: SessionEvent[] = [];
    let end = position;
    for (let number = first; number <= last; number += 1) {
      const logged = this.#ring[number % this.#length];
      if (logged === undefined) continue;
      end = textOf(logged);
      if (isInScope(logged.key, of))
        events.push(eventOf(logged.key, logged.change, logged.detail, end));
    }
    return ok({ events, position: end, isTrimmed: isAfter(this.#dropped, from) });
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #firstAfter(position: Position): number {
    let low = Math.max(1, this.#latest.number - this.#length + 1);
    let high = this.#latest.number + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const logged = this.#ring[middle % this.#length];
      if (logged !== undefined && isAfter(logged, position)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
