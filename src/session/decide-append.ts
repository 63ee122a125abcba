import type { AppendOutcome, HistoryAppend } from './history-append.js';
import { isLeasedWith } from './lease-state.js';
import type { StateRecord } from './session-record.js';
import { acceptsHistoryAt } from './state-at.js';

/** An earlier append with the same operation id. */
export interface KnownAppend {
  readonly digest: string;
  /** The position after its entries. */
  readonly position: number;
}

/** The facts of a session on which the outcome of an append depends. */
export interface AppendTarget {
  readonly state: StateRecord;
  readonly known: KnownAppend | undefined;
  /** The position at the end of the history. */
  readonly end: number;
  /**
   * Number of entries that would stay before the new ones: all of them, or those up to `after`.
   * Undefined if `after` is superseded. Not used if `after` is beyond the end.
   */
  readonly kept: number | undefined;
}

/** Number of entries to keep before the new ones, or the outcome if nothing must be written. */
export const decideAppend = (
  { state, known, end, kept }: AppendTarget,
  { entries, now, operation, fencingToken, ifPosition, after, maxEntries }: HistoryAppend,
): AppendOutcome | number => {
  if (operation !== undefined && known !== undefined) {
    if (known.digest !== operation.digest) return { outcome: 'mismatch' };
    return { outcome: 'appended', position: known.position, repeated: true };
  }
  if (!acceptsHistoryAt(state, now)) return { outcome: 'closed', state };
  if (fencingToken !== undefined && !isLeasedWith(state, fencingToken, now))
    return { outcome: 'lease_lost' };
  if (ifPosition !== undefined && ifPosition !== end) return { outcome: 'moved', position: end };
  if (after !== undefined && after > end) return { outcome: 'invalid_position' };
  if (kept === undefined) return { outcome: 'moved', position: end };
  if (maxEntries !== undefined && kept + entries.length > maxEntries) return { outcome: 'full' };
  return kept;
};
