import type { HistoryEntry } from './session.js';
import type { StateRecord } from './session-record.js';

/** Input of `SessionStore.append`. */
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

/**
 * The conditions are checked in this order: known operation, missing, closed, not leased, moved,
 * invalid position, superseded, full.
 */
export type AppendOutcome =
  /**
   * `position` is the position after these entries: opaque, higher than all before it, and the same
   * if the call is repeated. An append with `after` and no entries has a position too. `repeated`:
   * an earlier append with this operation id has added them, and this one wrote nothing.
   */
  | { readonly outcome: 'appended'; readonly position: number; readonly repeated?: true }
  /** An append with this operation id has another digest. Nothing was written. */
  | { readonly outcome: 'mismatch' }
  /** The session accepts no history at `now`; `state` is its state. Nothing was written. */
  | { readonly outcome: 'closed'; readonly state: StateRecord }
  /** No current lease has this fencing token. Nothing was written. */
  | { readonly outcome: 'lease_lost' }
  /**
   * The history ends at `position`, not at `ifPosition`; or `after` is superseded. Nothing was
   * written.
   */
  | { readonly outcome: 'moved'; readonly position: number }
  /** `after` is not a position in this history. Nothing was written. */
  | { readonly outcome: 'invalid_position' }
  /**
   * The history would exceed `maxEntries`; with `maxRewinds` it has been cut by as many rewinds as
   * the store can keep. Nothing was written.
   */
  | { readonly outcome: 'full'; readonly maxRewinds?: number }
  | { readonly outcome: 'missing' };
