import { leaseAt } from './lease.js';
import type { Session, SessionLabels, SessionState } from './session.js';
import type { SessionRecord, StateRecord } from './session-record.js';
import { activeMsAt, stateAt } from './timeline.js';

const durationAt = (state: StateRecord, now: number): number => Math.floor(activeMsAt(state, now) / 1000);

/** The status and duration of a session at `now`. */
export const progressAt = (id: string, stored: StateRecord, now: number): SessionState => {
  const state = stateAt(stored, now);
  const { status } = state;
  const duration = durationAt(state, now);
  return status === 'TERMINATED' ? { id, status, endReason: state.endReason, duration } : { id, status, duration };
};

const noLabels: SessionLabels = Object.freeze({});

/** The session that a stored record describes at `now`, in milliseconds since the epoch. */
export const sessionAt = ({ head, state: stored, history, historyCount }: SessionRecord, now: number): Session => {
  const { id, options, labels = noLabels, createdAt } = head;
  const state = stateAt(stored, now);
  const duration = durationAt(state, now);
  if (state.status === 'TERMINATED') {
    const { status, endReason } = state;
    return { id, status, endReason, duration, options, labels, history, historyCount, createdAt };
  }
  const lease = state.lease && leaseAt(state, now);
  const session = { id, status: state.status, duration, options, labels, history, historyCount, createdAt };
  return lease === undefined ? session : { ...session, lease };
};
