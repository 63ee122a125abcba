import type { EndReason } from '../status.js';
import type { EncodedHistory, SessionHead, SessionRecord, StateRecord } from './record.js';
import type { HistoryEntry, Session, SessionOptions, SessionState } from './session.js';
import { activeMsAt, settle } from './timeline.js';

/**
 * Where a session keeps its encoded history. In the global registry, since the CommonJS build gives each entry its
 * own copy of this module, and a session made by one is read by another.
 */
const encoded = Symbol.for('colloquy.encodedHistory');

const lazyHistory: PropertyDescriptor & ThisType<EncodedSession> = {
  configurable: true,
  enumerable: true,
  get() {
    return this[encoded].entries();
  },
};

/**
 * A session with a history that is parsed on the first look. `history` is an own, enumerable property, so that
 * spreading, JSON.stringify and deep comparison find it; the accessor is shared, for one made a session costs more
 * than all the rest.
 */
abstract class EncodedSession {
  readonly id: string;
  readonly options: SessionOptions;
  readonly createdAt: string;
  readonly duration: number;
  declare readonly history: readonly HistoryEntry[];
  readonly #encoded: EncodedHistory;

  constructor(head: SessionHead, duration: number, history: EncodedHistory) {
    this.id = head.id;
    this.options = head.options;
    this.createdAt = head.createdAt;
    this.duration = duration;
    this.#encoded = history;
    Object.defineProperty(this, 'history', lazyHistory);
  }

  get [encoded](): EncodedHistory {
    return this.#encoded;
  }
}

class LiveSession extends EncodedSession {
  readonly status: 'IDLE' | 'ACTIVE' | 'PAUSED';

  constructor(head: SessionHead, duration: number, history: EncodedHistory, status: LiveSession['status']) {
    super(head, duration, history);
    this.status = status;
  }
}

class EndedSession extends EncodedSession {
  readonly status = 'TERMINATED';
  readonly endReason: EndReason;

  constructor(head: SessionHead, duration: number, history: EncodedHistory, endReason: EndReason) {
    super(head, duration, history);
    this.endReason = endReason;
  }
}

const isEntries = (history: SessionRecord['history']): history is readonly HistoryEntry[] => Array.isArray(history);

const wholeSeconds = (ms: number): number => Math.floor(ms / 1000);

/** The session that a stored record is at `now`, in milliseconds since the epoch. Pure. */
export const sessionAt = (record: SessionRecord, now: number): Session => {
  const { head, history } = record;
  const state = settle(record.state, now);
  const duration = wholeSeconds(activeMsAt(state, now));
  const ended = state.status === 'TERMINATED';
  if (!isEntries(history)) {
    return ended
      ? new EndedSession(head, duration, history, state.endReason)
      : new LiveSession(head, duration, history, state.status);
  }
  const { id, options, createdAt } = head;
  return ended
    ? { id, status: 'TERMINATED', endReason: state.endReason, options, history, createdAt, duration }
    : { id, status: state.status, options, history, createdAt, duration };
};

/** Where the session of this id and state stands at `now`: `sessionAt` without what the state does not hold. */
export const progressAt = (id: string, stored: StateRecord, now: number): SessionState => {
  const state = settle(stored, now);
  const duration = wholeSeconds(activeMsAt(state, now));
  return state.status === 'TERMINATED'
    ? { id, status: state.status, endReason: state.endReason, duration }
    : { id, status: state.status, duration };
};

const isEncoded = (value: unknown): value is EncodedHistory =>
  typeof value === 'object' && value !== null && 'json' in value && typeof value.json === 'function';

/** The text that a session's history is kept in, if its store keeps text. */
export const encodedHistoryOf = (session: Session): EncodedHistory | undefined => {
  const kept = encoded in session ? session[encoded] : undefined;
  return isEncoded(kept) ? kept : undefined;
};
