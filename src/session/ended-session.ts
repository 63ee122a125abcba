import { timestampOf } from './clock.js';
import type { SessionLabels } from './session.js';
import type { SessionKey } from './session-key.js';
import type { StateRecord } from './session-record.js';
import type { EndReason } from './session-status.js';
import { activeMsAt, stateAt } from './state-at.js';

/** A session that has ended, with the data that a bill needs. */
export interface EndedSession {
  /** The tenant of the session. */
  readonly tenant: string;
  /** The id of the session. */
  readonly id: string;
  /** Why it ended; `deleted` if it was deleted before any other end. */
  readonly endReason: EndReason | 'deleted';
  /** Seconds spent ACTIVE, rounded down. */
  readonly duration: number;
  /** Milliseconds spent ACTIVE. */
  readonly durationMs: number;
  /**
   * The labels when the end is reported: `update` may change them after the end. Empty if the
   * session has none.
   */
  readonly labels: SessionLabels;
  /** When it was started: RFC 3339, UTC, milliseconds. Absent if it never was. */
  readonly startedAt?: string;
  /** When it ended, not when that was noticed: RFC 3339, UTC, milliseconds. */
  readonly endedAt: string;
}

/** The end of a session, from its state or from what is left of it after its removal. */
export const endedSessionOf = ({ tenant, id }: SessionKey, stored: StateRecord): EndedSession => {
  const removedAt = stored.report?.removedAt;
  const state = removedAt === undefined ? stored : stateAt(stored, removedAt);
  const isOver = state.status === 'TERMINATED';
  // Only what is left of a session that was removed has not ended.
  const endedAt = isOver ? state.since : (removedAt ?? state.since);
  const durationMs = activeMsAt(state, endedAt);
  const { startedAt } = state;
  return {
    tenant,
    id,
    endReason: isOver ? state.endReason : 'deleted',
    duration: Math.floor(durationMs / 1000),
    durationMs,
    labels: { ...state.labels },
    ...(startedAt !== undefined && { startedAt: timestampOf(startedAt) }),
    endedAt: timestampOf(endedAt),
  };
};
