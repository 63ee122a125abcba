import { timestampOf } from './clock.js';
import { leaseAt } from './lease.js';
import type { Session, SessionLabels, SessionOptions, SessionState } from './session.js';
import type { SessionRecord, StateRecord } from './session-record.js';
import { limitMsOf, secondsOf } from './time-limit.js';
import { activeMsAt, endsAt, stateAt } from './timeline.js';

type Times = Pick<SessionState, 'duration' | 'durationMs' | 'startedAt' | 'endsAt' | 'endedAt'>;

/** The times of a session that has this state at `now`. */
const timesAt = (state: StateRecord, now: number): Times => {
  const durationMs = activeMsAt(state, now);
  const times: { -readonly [K in keyof Times]: Times[K] } = { duration: Math.floor(durationMs / 1000), durationMs };
  if (state.startedAt !== undefined) times.startedAt = timestampOf(state.startedAt);
  if (state.status === 'TERMINATED') times.endedAt = timestampOf(state.since);
  else if (endsAt(state) < Number.POSITIVE_INFINITY) times.endsAt = timestampOf(endsAt(state));
  return times;
};

/** The status and the times of a session at `now`. */
export const progressAt = (id: string, stored: StateRecord, now: number): SessionState => {
  const state = stateAt(stored, now);
  const times = timesAt(state, now);
  return state.status === 'TERMINATED'
    ? { id, status: state.status, endReason: state.endReason, ...times }
    : { id, status: state.status, ...times };
};

/** The options with the time limit of the state, which may have another one than the session was created with. */
const currentOptions = (options: SessionOptions, { limitMs }: StateRecord): SessionOptions =>
  limitMsOf(options.timeLimit) === limitMs ? options : { ...options, timeLimit: secondsOf(limitMs) };

const noLabels: SessionLabels = Object.freeze({});

/** The session that a stored record describes at `now`, in milliseconds since the epoch. */
export const sessionAt = ({ head, state: stored, history, historyCount }: SessionRecord, now: number): Session => {
  const { id, labels = noLabels, createdAt } = head;
  const state = stateAt(stored, now);
  const options = currentOptions(head.options, state);
  const updatedAt = timestampOf(Math.max(state.lastActivityAt, state.since));
  const facts = { ...timesAt(state, now), options, labels, history, historyCount, createdAt, updatedAt };
  if (state.status === 'TERMINATED') return { id, status: state.status, endReason: state.endReason, ...facts };
  const lease = state.lease && leaseAt(state, now);
  return lease === undefined ? { id, status: state.status, ...facts } : { id, status: state.status, ...facts, lease };
};
