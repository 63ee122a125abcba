import { nanoid } from 'nanoid';
import { ok, type Result } from 'neverthrow';
import { timestampOf } from '../../src/clock.js';
import type { EventPage, SessionEvent } from '../../src/events/event.js';
import type { StateRecord } from '../../src/session/record.js';
import type { SessionStatus } from '../../src/status.js';
import type { EventLog } from '../../src/store.js';

export type MemoryEventType = 'created' | 'started' | 'paused' | 'resumed' | 'appended' | 'terminated' | 'deleted';

/** What a change of the status is called. */
export const nameOfChange = (from: SessionStatus, to: SessionStatus): MemoryEventType => {
  if (to === 'TERMINATED') return 'terminated';
  if (to === 'PAUSED') return 'paused';
  return from === 'PAUSED' ? 'resumed' : 'started';
};

/** What is told of a change. */
interface Tidings {
  readonly tenant: string;
  readonly sessionId: string;
  readonly birth: string;
  readonly sequence: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly type: MemoryEventType;
  readonly state: StateRecord;
  /** Where the history stands after an append. */
  readonly position: number;
}

const eventOf = ({ birth, type, at, state, position, ...whose }: Tidings, told: number): SessionEvent => {
  const { tenant, sessionId, sequence } = whose;
  const id = `${birth}.${sequence}`;
  const base = { id, tenant, sessionId, sequence, at: timestampOf(at), position: String(told) };
  if (type === 'appended') return Object.freeze({ ...base, type: 'session.appended', historyPosition: position });
  if (type !== 'terminated') return Object.freeze({ ...base, type: `session.${type}` });
  const endReason = state.status === 'TERMINATED' ? state.endReason : 'terminated';
  return Object.freeze({ ...base, type: 'session.terminated', endReason });
};

/** The one stream of a store in memory, cut to a number of events. Positions count them. */
export class MemoryEventLog implements EventLog {
  readonly #length: number;
  /** In a ring: what was told at a position is at its remainder. Events are made of it when somebody reads. */
  readonly #tidings: Tidings[] = [];
  #told = 0;
  readonly #listeners = new Set<() => void>();

  constructor(length: number) {
    this.#length = length;
  }

  newBirth(): string {
    return nanoid(12);
  }

  tell(tidings: Tidings): void {
    this.#told += 1;
    this.#tidings[this.#told % this.#length] = tidings;
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
      const tidings = this.#tidings[at % this.#length];
      if (tidings !== undefined) events.push(eventOf(tidings, at));
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
