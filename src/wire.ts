import type { HistoryEntry, Session, SessionOptions, SessionState } from './session/session.js';
import type { EndReason, SessionStatus } from './status.js';

/** The form of a session in HTTP: here, and in what the HTTP handler reads, are its snake_case names. */

export interface WireOptions {
  readonly face: string;
  readonly profile: string;
  readonly context: string;
  readonly behavior: string;
  readonly time_limit: number;
}

export interface WireSession {
  readonly id: string;
  readonly status: SessionStatus;
  readonly options: WireOptions;
  readonly history: readonly HistoryEntry[];
  readonly created_at: string;
  readonly duration: number;
}

/** What a command answers on the wire. */
export interface WireState {
  readonly id: string;
  readonly status: SessionStatus;
  readonly duration: number;
  readonly end_reason?: EndReason;
}

export const toWireOptions = ({ face, profile, context, behavior, timeLimit }: SessionOptions): WireOptions => ({
  face,
  profile,
  context,
  behavior,
  time_limit: timeLimit,
});

export const toWireSession = ({ id, status, options, history, createdAt, duration }: Session): WireSession => ({
  id,
  status,
  options: toWireOptions(options),
  history,
  created_at: createdAt,
  duration,
});

export const toWireState = (state: SessionState): WireState => {
  const { id, status, duration } = state;
  return { id, status, duration, ...(status === 'TERMINATED' ? { end_reason: state.endReason } : {}) };
};

/** The form in which a handler writes sessions. */
export interface SessionForm {
  /** How many entries of a history it shows. Default: all that are asked for. */
  readonly historyLimit?: number;
  /** One session that was asked for. */
  readonly session: (session: Session) => unknown;
  /** One session of a list. */
  readonly item: (session: Session) => unknown;
}

export const wireForm: SessionForm = { session: toWireSession, item: toWireSession };

/** What a client sends, by the name that the service knows it under. */
export const wireNames = {
  face: 'face',
  profile: 'profile',
  behavior: 'behavior',
  context: 'context',
  timeLimit: 'time_limit',
  idempotencyKey: 'Idempotency-Key',
  operationId: 'Idempotency-Key',
  id: 'session_id',
  from: 'Last-Event-ID',
  order: 'order',
  status: 'status',
  createdAfter: 'created_after',
  createdBefore: 'created_before',
  after: 'after',
  historyLimit: 'history_limit',
  warnBefore: 'warn_before',
} as const;
