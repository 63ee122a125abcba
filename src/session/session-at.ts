import { holdAt } from './hold.js';
import type { Session, SessionLabels, SessionState } from './session.js';
import type { SessionRecord, StateRecord } from './session-record.js';
import { activeMsAt, stateAt } from './timeline.js';

/** The status and duration of a session at `now`. */
export const progressAt = (id: string, stored: StateRecord, now: number): SessionState => {
  const state = stateAt(stored, now);
  const duration = Math.floor(activeMsAt(state, now) / 1000);
  return state.status === 'TERMINATED'
    ? { id, status: state.status, endReason: state.endReason, duration }
    : { id, status: state.status, duration };
};

const noLabels: SessionLabels = Object.freeze({});

/** The session that a stored record describes at `now`, in milliseconds since the epoch. */
export const sessionAt = ({ head, state, history, historyCount }: SessionRecord, now: number): Session => {
  const { id, options, labels = noLabels, createdAt } = head;
  const progress = progressAt(id, state, now);
  const { duration } = progress;
  if (progress.status === 'TERMINATED') {
    const { status, endReason } = progress;
    return { id, status, endReason, duration, options, labels, history, historyCount, createdAt };
  }
  const hold = state.hold && holdAt(state, now);
  const session = { id, status: progress.status, duration, options, labels, history, historyCount, createdAt };
  return hold === undefined ? session : { ...session, hold };
};
