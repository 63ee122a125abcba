import type { DueKey, SessionKey } from '../session/session-key.js';
import type { StateRecord } from '../session/session-record.js';
import { stateAt, unusedSinceOf } from '../session/time-limits.js';
import type { RemoveCommit } from '../store/commit.js';

/** Removes a session, or what is left of one, whatever its state, or in the state given. */
export const planRemove = (
  key: DueKey,
  now: number,
  guards: RemoveCommit['guards'] = {},
): RemoveCommit => ({
  key,
  guards,
  effects: { events: key.removal === undefined ? [{ type: 'deleted', at: now }] : [] },
});

/**
 * Removes a session with this state. Leaves the state without its metadata, under a new revision,
 * if its end has to be reported.
 */
export const planReportedRemove = (
  key: SessionKey,
  state: StateRecord,
  now: number,
  revision: number,
): RemoveCommit => {
  const guards = { revision: state.revision };
  if (state.status === 'TERMINATED' && state.report === undefined)
    return planRemove(key, now, guards);
  const report = {
    removal: String(state.revision),
    dueAt: now,
    ...state.report,
    removedAt: now,
  };
  const { metadata: _, ...kept } = state;
  const unusedSince = unusedSinceOf(state, stateAt(state, now));
  const { effects } = planRemove(key, now);
  const left = Object.freeze({ ...kept, revision, report });
  return {
    key,
    guards: { ...guards, unusedSince },
    effects: { ...effects, remains: { removal: report.removal, state: left } },
  };
};
