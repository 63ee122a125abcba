import type { Spending } from './budget.js';
import type { HistoryEntry } from './session.js';

/** A checked append, from which its commit is planned. */
export interface HistoryAppend {
  /**
   * Oldest first; none only with `spend`. The store keeps them together and in this
   * order.
   */
  readonly entries: readonly HistoryEntry[];
  /** The caller's time, in milliseconds since the epoch. */
  readonly now: number;
  /**
   * Identifies this append for as long as the session exists. A repeated append with the same id
   * adds nothing.
   */
  readonly operation?: {
    /** From the caller: 1 to 256 characters, well-formed, without control characters. */
    readonly id: string;
    /** A digest of the content: 16 of the characters `A-Z a-z 0-9 _ -`. */
    readonly digest: string;
  };
  /** Appends only if the history ends at this position. */
  readonly ifPosition?: number;
  /** Appends only if the session is leased at `now` by the lease with this fencing token. */
  readonly fencingToken?: number;
  /** Maximum number of entries in the history after the append. Default: no limit. */
  readonly maxEntries?: number;
  /** What is added to the counters of the session. Default: nothing. */
  readonly spend?: Spending & { readonly revision: number };
}
