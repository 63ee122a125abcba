import type { DueKey } from '../session/session-key.js';
import type { StateRecord } from '../session/session-record.js';
import { dueAtOf, endsAt } from '../session/time-limits.js';
import { wakeAtOf } from '../session/work-state.js';
import type { StateChange, UseChange } from './commit.js';

/** The times of a session in the queues, in milliseconds since the epoch; `Infinity` for never. */
export interface QueueTimes {
  /** When a sweep must process the session. */
  readonly dueAt: number;
  /** When a worker may claim the session. */
  readonly wakeAt: number;
}

/** What is left of a removed session waits for no worker, whatever its state. */
export const queueTimesOf = ({ removal }: DueKey, state: StateRecord): QueueTimes => ({
  dueAt: dueAtOf(state),
  wakeAt: removal === undefined ? wakeAtOf(state) : Number.POSITIVE_INFINITY,
});

export const queueTimesAfter = (
  { state, dueAt, wakeAt }: QueueTimes & { readonly state: StateRecord },
  after: StateRecord,
  { key, effects }: StateChange | UseChange,
): QueueTimes => {
  const times = queueTimesOf(key, after);
  if (effects.put !== undefined) return times;
  const isPostponed = endsAt(after) !== endsAt(state);
  // A claim by a clock that is ahead may have taken the session for ended.
  const isTakenOut = isPostponed && !Number.isFinite(wakeAt);
  return {
    dueAt: isPostponed ? times.dueAt : dueAt,
    wakeAt: effects.send !== undefined || isTakenOut ? times.wakeAt : wakeAt,
  };
};
