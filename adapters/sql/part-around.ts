import type { EntriesOutcome, HistorySlice } from '../../src/session/history-slice.js';
import type { PositionedEntry } from '../../src/session/session.js';

/** The positions that a part of a history needs besides those of its entries. */
export interface Surroundings {
  /**
   * The position at the end of the history: that of the last entry, or of a rewind without entries.
   */
  readonly end: number;
  /** The position of the entry before the part; 0 if there is none. */
  readonly previous: number;
  /** The position of the last entry of the history; 0 if there is none. */
  readonly newest: number;
}

type Found = Extract<EntriesOutcome, { readonly outcome: 'found' }>;

/** The positions around the entries of a slice. */
export const partAround = (
  { after, before }: HistorySlice,
  entries: readonly PositionedEntry[],
  { end, previous, newest }: Surroundings,
): Pick<Found, 'start' | 'position' | 'hasMore'> => {
  if (after === undefined) {
    const position = before ?? end;
    return { start: previous, position, hasMore: newest > position };
  }
  const last = entries.at(-1)?.position ?? after;
  const hasMore = newest > last;
  return { start: after, position: hasMore ? last : end, hasMore };
};
