import type { HistoryAppend } from '../session/history-append.js';
import type { SessionKey } from '../session/session-key.js';
import type { StateRecord } from '../session/session-record.js';
import { acceptsHistoryAt } from '../session/state-at.js';
import type { Changed, EventPart, UseChange } from '../store/commit.js';

const appended = ({ now: at }: HistoryAppend): EventPart => ({ type: 'appended', at });

/** The guards of an append besides that of the time. */
const guardsOf = ({ now, operation, fencingToken, ifPosition, maxEntries }: HistoryAppend) => ({
  operation,
  fence: fencingToken === undefined ? undefined : { token: fencingToken, now },
  end: ifPosition,
  entries: maxEntries,
});

/** An append to a session that has not ended: it uses the session. */
export const planAppend = (key: SessionKey, append: HistoryAppend): UseChange => {
  const { now, entries } = append;
  return {
    key,
    guards: { ...guardsOf(append), open: now },
    effects: { entries, activity: now, events: [appended(append)] },
  };
};

/** In its grace period, an ended session takes entries, but is not used. */
const planLate = (
  key: SessionKey,
  append: HistoryAppend,
  { revision }: StateRecord,
): UseChange => ({
  key,
  guards: { ...guardsOf(append), revision, over: append.now },
  effects: { entries: append.entries, events: [appended(append)] },
});

/**
 * The change to try after a refusal; undefined if it stands. An append decides by the time first,
 * because a read before it would cost every append a round trip.
 */
export const planAgain = (
  key: SessionKey,
  append: HistoryAppend,
  changed: Changed,
): UseChange | undefined => {
  if (changed.outcome !== 'refused') return undefined;
  if (changed.guard === 'revision' || changed.guard === 'over') return planAppend(key, append);
  if (changed.guard !== 'open') return undefined;
  const { state } = changed;
  return acceptsHistoryAt(state, append.now) ? planLate(key, append, state) : undefined;
};
