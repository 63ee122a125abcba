import type { Spending } from '../session/budget.js';
import { acceptsHistoryAt } from '../session/grace-period.js';
import type { HistoryEntry } from '../session/session.js';
import type { SessionKey } from '../session/session-key.js';
import type { StateRecord } from '../session/session-record.js';
import { stateAt } from '../session/time-limits.js';
import type { Changed, EventPart, Guards, UseChange } from '../store/commit.js';

/** A checked append, or a spend alone, from which its commit is planned. */
export interface AppendOrSpend {
  /** Oldest first; empty for a spend alone. The store keeps them together and in this order. */
  readonly entries: readonly HistoryEntry[];
  readonly now: number;
  readonly operation?: NonNullable<Guards['operation']>;
  readonly ifPosition?: number;
  readonly fencingToken?: number;
  /** Maximum number of entries in the history after the append. Default: no limit. */
  readonly maxEntries?: number;
  /** What is added to the counters of the session. Default: nothing. */
  readonly spend?: Spending & { readonly revision: number };
}

const guardsOf = ({ now, operation, fencingToken, ifPosition, maxEntries }: AppendOrSpend) => ({
  operation,
  fence: fencingToken === undefined ? undefined : { token: fencingToken, now },
  end: ifPosition,
  entries: maxEntries,
});

const isSpendAlone = ({ entries }: AppendOrSpend): boolean => entries.length === 0;

const eventOf = (append: AppendOrSpend): EventPart => ({
  type: isSpendAlone(append) ? 'spent' : 'appended',
  at: append.now,
});

const spendOf = ({ spend, now: at }: AppendOrSpend) => spend && { ...spend, at };

const entriesOf = (append: AppendOrSpend) => (isSpendAlone(append) ? undefined : append.entries);

/** An append to a session that has not ended: it uses the session, unless it only spends. */
export const planAppend = (key: SessionKey, append: AppendOrSpend): UseChange => ({
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
  append: AppendOrSpend,
  { revision }: StateRecord,
): UseChange => ({
  key,
  guards: { ...guardsOf(append), revision, over: append.now },
  effects: { entries: entriesOf(append), spend: spendOf(append), events: [eventOf(append)] },
});

/** Whether a session that is not open takes the change all the same. */
const takesLate = (state: StateRecord, append: AppendOrSpend): boolean => {
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
  append: AppendOrSpend,
  changed: Changed,
): UseChange | undefined => {
  if (changed.outcome !== 'refused') return undefined;
  const { guard } = changed;
  if (guard !== 'revision' && guard !== 'over' && guard !== 'open') return undefined;
  if (takesLate(changed.state, append)) return planNotOpen(key, append, changed.state);
  return guard === 'open' ? undefined : planAppend(key, append);
};
