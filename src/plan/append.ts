import type { HistoryAppend } from '../session/history-append.js';
import type { SessionKey } from '../session/session-key.js';
import type { StateRecord } from '../session/session-record.js';
import { acceptsHistoryAt, stateAt } from '../session/state-at.js';
import type { Changed, EventPart, UseChange } from '../store/commit.js';

/** The guards of an append besides that of the time. */
const guardsOf = ({ now, operation, fencingToken, ifPosition, maxEntries }: HistoryAppend) => ({
  operation,
  fence: fencingToken === undefined ? undefined : { token: fencingToken, now },
  end: ifPosition,
  entries: maxEntries,
});

const isSpendAlone = ({ entries }: HistoryAppend): boolean => entries.length === 0;

const eventOf = (append: HistoryAppend): EventPart => ({
  type: isSpendAlone(append) ? 'spent' : 'appended',
  at: append.now,
});

const spendOf = ({ spend, now: at }: HistoryAppend) => spend && { ...spend, at };

const entriesOf = (append: HistoryAppend) => (isSpendAlone(append) ? undefined : append.entries);

/** An append to a session that has not ended: it uses the session, unless it only spends. */
export const planAppend = (key: SessionKey, append: HistoryAppend): UseChange => ({
  key,
  guards: { ...guardsOf(append), open: append.now },
  effects: {
    entries: entriesOf(append),
    activity: isSpendAlone(append) ? undefined : append.now,
    spend: spendOf(append),
    events: [eventOf(append)],
  },
});

/**
 * In its grace period, an ended session takes entries and spends, but is not used. An IDLE session
 * only spends.
 */
const planNotOpen = (
  key: SessionKey,
  append: HistoryAppend,
  { revision }: StateRecord,
): UseChange => ({
  key,
  guards: { ...guardsOf(append), revision, over: append.now },
  effects: { entries: entriesOf(append), spend: spendOf(append), events: [eventOf(append)] },
});

/** Whether a session that is not open takes the change all the same. */
const takesLate = (state: StateRecord, append: HistoryAppend): boolean => {
  const { status } = stateAt(state, append.now);
  if (status === 'IDLE') return isSpendAlone(append);
  return status === 'TERMINATED' && acceptsHistoryAt(state, append.now);
};

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
  const { guard } = changed;
  if (guard !== 'revision' && guard !== 'over' && guard !== 'open') return undefined;
  if (takesLate(changed.state, append)) return planNotOpen(key, append, changed.state);
  return guard === 'open' ? undefined : planAppend(key, append);
};
