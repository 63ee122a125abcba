import type { PositionedEntry } from './session.js';

/**
 * The part of a history to read: the first entries after `after`, or the latest before `before`. A
 * superseded position is allowed: the entries that remain are before or after it.
 */
export type HistorySlice = {
  /** Maximum number of entries, at least 1. */
  readonly limit: number;
  /**
   * Maximum bytes of JSON, approximate: the slice has fewer entries if they would exceed it, but at
   * least one. Default: no limit.
   */
  readonly maxBytes?: number;
} & (
  | {
      /** A position that an append or another slice returned, or 0 for the beginning. */
      readonly after: number;
      readonly before?: never;
    }
  | {
      readonly after?: never;
      /** A position as for `after`. Default: the end of the history. */
      readonly before?: number;
    }
);

/** Outcome of `findEntries`. */
export type EntriesOutcome =
  | {
      readonly outcome: 'found';
      /** Oldest first, each with the position after it. */
      readonly entries: readonly PositionedEntry[];
      /**
       * The position before the first of the entries: `after`, or 0 at the beginning of the
       * history.
       */
      readonly start: number;
      /**
       * The position after the last of the entries: `before`, or the end of the history if nothing
       * follows.
       */
      readonly position: number;
      /** Whether there are entries after `position`. */
      readonly hasMore: boolean;
      /** Whether `after` or `before` is superseded: a rewind has taken it out of the history. */
      readonly isSuperseded: boolean;
      /**
       * The version of the history, 1 to 64 characters: changes with each rewind and each
       * redaction, and differs for every other session, even a later one with the same id. Appends
       * at the end keep it. With events, it begins with what is before the dot in the ids of the
       * events of the session, and a dot.
       */
      readonly version: string;
    }
  /** `after` or `before` is not a position in this history. */
  | { readonly outcome: 'invalid_position' }
  | { readonly outcome: 'missing' };
