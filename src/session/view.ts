import type { SessionRecord, StateRecord } from './record.js';
import type { Session, SessionState } from './session.js';
import { activeMsAt, settle } from './timeline.js';

const wholeSeconds = (ms: number): number => Math.floor(ms / 1000);

/** Where the session of this id and state stands at `now`: `sessionAt` without what the state does not hold. */
export const progressAt = (id: string, stored: StateRecord, now: number): SessionState => {
  const state = settle(stored, now);
  const duration = wholeSeconds(activeMsAt(state, now));
  return state.status === 'TERMINATED'
    ? { id, status: state.status, endReason: state.endReason, duration }
    : { id, status: state.status, duration };
};

/** The session that a stored record is at `now`, in milliseconds since the epoch. Pure. */
export const sessionAt = ({ head, state, history, historyCount }: SessionRecord, now: number): Session => {
  const { id, options, createdAt } = head;
  const progress = progressAt(id, state, now);
  const { duration } = progress;
  return progress.status === 'TERMINATED'
    ? {
        id,
        status: progress.status,
        endReason: progress.endReason,
        duration,
        options,
        history,
        historyCount,
        createdAt,
      }
    : { id, status: progress.status, duration, options, history, historyCount, createdAt };
};
