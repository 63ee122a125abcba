import type { EndReason } from '../status.js';
import type { EncodedHistory, SessionHead, SessionRecord, StateRecord } from './record.js';
import type { HistoryEntry, Session, SessionOptions, SessionState } from './session.js';
import { activeMsAt, settle } from './timeline.js';

/** What a session was made from that keeps its text. */
interface EncodedParts {
  readonly head: SessionHead;
  readonly history: EncodedHistory;
}

/**
 * Where a session keeps its encoded parts. In the global registry, since the CommonJS build gives each entry its own
 * copy of this module, and a session made by one is read by another.
 */
const encodedParts = Symbol.for('colloquy.encodedParts');

const lazyOptions: PropertyDescriptor & ThisType<EncodedSession> = {
  configurable: true,
  enumerable: true,
  get() {
    return this[encodedParts].head.options;
  },
};

const lazyHistory: PropertyDescriptor & ThisType<EncodedSession> = {
  configurable: true,
  enumerable: true,
  get() {
    return this[encodedParts].history.entries();
  },
};

/**
 * A session whose options and history are parsed when somebody looks. They are own, enumerable properties, so that
 * spreading, JSON.stringify and deep comparison find them; the accessors are shared, for one made for each session
 * costs more than all the rest.
 */
abstract class EncodedSession {
  readonly id: string;
  declare readonly options: SessionOptions;
  declare readonly history: readonly HistoryEntry[];
  readonly createdAt: string;
  readonly duration: number;
  readonly #parts: EncodedParts;

  constructor(head: SessionHead, duration: number, history: EncodedHistory) {
    this.id = head.id;
    this.createdAt = head.createdAt;
    this.duration = duration;
    this.#parts = { head, history };
    Object.defineProperty(this, 'options', lazyOptions);
    Object.defineProperty(this, 'history', lazyHistory);
  }

  get [encodedParts](): EncodedParts {
    return this.#parts;
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

const encodedSession = (head: SessionHead, state: StateRecord, duration: number, history: EncodedHistory): Session =>
  state.status === 'TERMINATED'
    ? new EndedSession(head, duration, history, state.endReason)
    : new LiveSession(head, duration, history, state.status);

/** The session that a stored record is at `now`, in milliseconds since the epoch. Pure. */
export const sessionAt = (record: SessionRecord, now: number): Session => {
  const { head, history } = record;
  const state = settle(record.state, now);
  const duration = wholeSeconds(activeMsAt(state, now));
  if (!isEntries(history)) return encodedSession(head, state, duration, history);
  const { id, options, createdAt } = head;
  return state.status === 'TERMINATED'
    ? { id, status: state.status, endReason: state.endReason, options, history, createdAt, duration }
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

const isEncoded = (value: unknown): value is EncodedParts =>
  typeof value === 'object' && value !== null && 'head' in value && 'history' in value;

/** The texts that a session's options and history are kept in, if its store keeps text. */
export const encodedPartsOf = (
  session: Session,
): { readonly optionsJson: string | undefined; readonly history: EncodedHistory } | undefined => {
  const parts = encodedParts in session ? session[encodedParts] : undefined;
  return isEncoded(parts) ? { optionsJson: parts.head.optionsJson, history: parts.history } : undefined;
};
