import type { EntriesOutcome, HistorySlice } from '../../src/session/history-slice.js';

/**
 * The positions of a history that counts them: each entry takes the next number, and so does each
 * rewind, before its entries. So no position is used twice, and an entry keeps its position when
 * later entries are superseded.
 */
export interface HistoryPositions {
  /** Number of entries. */
  readonly entries: number;
  /**
   * The position at the end of the history: that of the last entry, or of a rewind without entries.
   */
  readonly end: number;
  /** The position of an entry by its number, from 1 to `entries`. Rises with the number. */
  readonly positionOf: (number: number) => number;
}

/**
 * Number of entries up to a position. In a history that was rewound, it searches from the end back
 * in steps that double, because callers mostly ask for one of the latest entries.
 */
export const entriesUpTo = (
  { entries, end, positionOf }: HistoryPositions,
  position: number,
): number => {
  if (position >= end) return entries;
  if (end === entries) return position;
  // No entry has a lower position than its number.
  let high = Math.min(entries, position);
  let low = high;
  for (let step = 1; low > 0 && positionOf(low) > position; step *= 2) {
    high = low - 1;
    low = Math.max(0, low - step);
  }
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (positionOf(middle) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
};

/**
 * Number of entries up to a position, which must not be after the end of the history. Undefined if
 * the position is superseded: it is neither that of an entry, nor that of the rewind before one,
 * nor the beginning or the end.
 */
export const entriesUpToCurrent = (
  positions: HistoryPositions,
  position: number,
): number | undefined => {
  const { entries, end, positionOf } = positions;
  const number = entriesUpTo(positions, position);
  if (position === 0 || position === end || end === entries) return number;
  if (number > 0 && positionOf(number) === position) return number;
  return number < entries && positionOf(number + 1) === position + 1 ? number : undefined;
};

/** Whether a position, which must not be after the end of the history, is superseded. */
export const isSuperseded = (positions: HistoryPositions, position: number): boolean =>
  entriesUpToCurrent(positions, position) === undefined;

type Found = Extract<EntriesOutcome, { readonly outcome: 'found' }>;

/**
 * The positions around a part: the part begins after the first `from` entries, and ends with entry
 * number `to`.
 */
export const partBetween = (
  { entries, end, positionOf }: HistoryPositions,
  { after, before = end }: HistorySlice,
  from: number,
  to: number,
): Pick<Found, 'start' | 'position' | 'hasMore'> => {
  const hasMore = to < entries;
  const last = hasMore && to > 0 ? positionOf(to) : end;
  const first = from > 0 ? positionOf(from) : 0;
  return { start: after ?? first, position: after === undefined ? before : last, hasMore };
};
