import type { HistoryEntry } from './session.js';

/** A checked append or rewind, from which its commit is planned. */
export interface HistoryAppend {
  /**
   * Oldest first; at least one, unless `after` is given. The store keeps them together and in this
   * order.
   */
  readonly entries: readonly HistoryEntry[];
  /**
   * Rewinds the history to this position before it adds the entries. The entries after the position
   * are superseded: no read returns them any more. Default: the end of the history.
   */
  readonly after?: number;
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
  /**
   * Makes a session that has not ended at `now` wait for a worker from then on, as a
   * change of its own after the append, in the same step. `revision`: that of the new state.
   * Default: the state keeps its revision.
   */
  readonly wake?: { readonly revision: number };
}
