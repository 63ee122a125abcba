import { spentState } from '../session/budget.js';
import type { StateRecord } from '../session/session-record.js';
import type { StateChange, UseChange } from './commit.js';

/**
 * The state after a change: the new one with the later activity, or the stored one with its
 * activity, its inbox and its sums, frozen. The stored one itself if nothing changes.
 *
 * @example
 * ```ts
 * const state = unwrap(store.findState({ tenant: 'acme', id }));
 * const effects = { activity: Date.now() + 1000, events: [] };
 * if (state) console.log(stateAfter(state, { effects }) === state); // false
 * ```
 */
export const stateAfter = (
  stored: StateRecord,
  { effects }: Pick<StateChange | UseChange, 'effects'>,
): StateRecord => {
  if (effects.put !== undefined) {
    const { state } = effects.put;
    const { lastActivityAt } = stored;
    return lastActivityAt > state.lastActivityAt ? { ...state, lastActivityAt } : state;
  }
  const { activity = 0, send, spend } = effects;
  const lastActivityAt = Math.max(stored.lastActivityAt, activity);
  if (spend !== undefined) {
    const { at, revision } = spend;
    return Object.freeze({ ...spentState(stored, spend, at), lastActivityAt, revision });
  }
  if (send === undefined) {
    if (lastActivityAt === stored.lastActivityAt) return stored;
    return Object.freeze({ ...stored, lastActivityAt });
  }
  const { askedAt = send.at, inbox = 0 } = stored.work;
  const asked = { askedAt: Math.min(askedAt, send.at), inbox: inbox + 1 };
  const work = Object.freeze({ ...stored.work, ...asked });
  return Object.freeze({ ...stored, lastActivityAt, work, revision: send.revision });
};
