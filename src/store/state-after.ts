import { spentState } from '../session/budget.js';
import type { StateRecord } from '../session/session-record.js';
import type { StateChange, UseChange } from './commit.js';

/**
 * The state after a change: the new one with the later activity, or the stored one with its
 * activity and its inbox. The stored one itself if nothing changes.
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
  if (spend !== undefined) {
    const { spend: _, ...others } = effects;
    const { at, revision } = spend;
    return { ...stateAfter(spentState(stored, spend, at), { effects: others }), revision };
  }
  const lastActivityAt = Math.max(stored.lastActivityAt, activity);
  if (send === undefined) {
    return lastActivityAt === stored.lastActivityAt ? stored : { ...stored, lastActivityAt };
  }
  const { askedAt = send.at, inbox = 0 } = stored.work;
  const work = { ...stored.work, askedAt: Math.min(askedAt, send.at), inbox: inbox + 1 };
  return { ...stored, lastActivityAt, work, revision: send.revision };
};
