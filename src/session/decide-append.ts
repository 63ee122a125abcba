import type { AppendOutcome, HistoryAppend } from '../store/session-store.js';
import { isLeasedWith } from './lease.js';
import type { StateRecord } from './session-record.js';
import { acceptsHistoryUntil } from './timeline.js';

/** An earlier append with the same operation id. */
export interface KnownAppend {
  readonly digest: string;
  /** The position behind its entries. */
  readonly position: number;
}

/** What decides an append to a session. */
export interface AppendTarget {
  readonly state: StateRecord;
  /** Number of entries in the history, which is also the position behind them. */
  readonly entries: number;
  readonly known: KnownAppend | undefined;
}

/** The outcome of an append to an existing session, if it writes nothing. Undefined if its entries are to be added. */
export const decideAppend = (
  { state, entries: end, known }: AppendTarget,
  { entries, now, operation, fencingToken, ifPosition, maxEntries }: HistoryAppend,
): AppendOutcome | undefined => {
  if (operation !== undefined && known !== undefined) {
    const isSame = known.digest === operation.digest;
    return isSame ? { outcome: 'appended', position: known.position, repeated: true } : { outcome: 'mismatch' };
  }
  if (now >= acceptsHistoryUntil(state)) return { outcome: 'closed', state };
  if (fencingToken !== undefined && !isLeasedWith(state, fencingToken, now)) return { outcome: 'lease_lost' };
  if (ifPosition !== undefined && ifPosition !== end) return { outcome: 'moved', position: end };
  if (maxEntries !== undefined && end + entries.length > maxEntries) return { outcome: 'full' };
  return undefined;
};
