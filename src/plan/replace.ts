import { changeDetailOf } from '../session/event-detail.js';
import type { DueKey } from '../session/session-key.js';
import type { StateRecord } from '../session/session-record.js';
import { unusedSinceOf } from '../session/state-at.js';
import type { LiveLimit, StateChange } from '../store/commit.js';

/** A state to store in place of the one that it was decided from. */
export interface Replacement {
  readonly previous: StateRecord;
  readonly state: StateRecord;
  /** The time of the decision, in milliseconds since the epoch. */
  readonly now: number;
  /** Given only if an IDLE session becomes ACTIVE. */
  readonly live?: LiveLimit | undefined;
}

/** Every change of state: by a command, a lease, an update, or the clock. */
export const planReplace = (
  key: DueKey,
  { previous, state, now, live }: Replacement,
): StateChange => {
  const event = key.removal === undefined ? changeDetailOf(previous, state, now) : undefined;
  return {
    key,
    guards: {
      revision: previous.revision,
      unusedSince: unusedSinceOf(previous, state),
      live,
    },
    effects: { put: { state, previous }, events: event ? [event] : [] },
  };
};
