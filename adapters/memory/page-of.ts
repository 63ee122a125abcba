import type { SessionHead } from '../../src/session/session-record.js';
import type { PageRange, RecordPage } from '../../src/store/session-store.js';
import type { SortedItems } from './ordered-index.js';

/** A page of an index. */
export interface IndexPage<T> extends Pick<RecordPage, 'total'> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

export const compare = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** The fields by which a list by creation is sorted. */
type Created = Pick<SessionHead, 'id' | 'createdAt'>;

/** Timestamps have one format, so they sort as text. */
export const newestFirst = (a: Created, b: Created): number =>
  compare(b.createdAt, a.createdAt) || compare(b.id, a.id);

/** The ranks of the items between the times of a range, in an index that is sorted newest first. */
export const ranksBetween = <T>(
  index: SortedItems<T>,
  positionOf: (item: T) => Created,
  { createdAfter, createdBefore }: PageRange,
): { readonly from: number; readonly to: number } => ({
  from:
    createdBefore === undefined
      ? 0
      : index.leading((item) => positionOf(item).createdAt >= createdBefore),
  to:
    createdAfter === undefined
      ? index.size
      : index.leading((item) => positionOf(item).createdAt > createdAfter),
});

/** A page of an index that is sorted newest first. Each bound is found as a rank, in O(log n). */
export const pageOf = <T>(
  index: SortedItems<T>,
  positionOf: (item: T) => Created,
  range: PageRange,
): IndexPage<T> => {
  const { offset, limit, order } = range;
  const after = range.cursor && { id: range.cursor.id, createdAt: range.cursor.at };
  const { from, to } = ranksBetween(index, positionOf, range);
  const total = Math.max(0, to - from);
  if (order !== 'oldest') {
    const passed =
      after === undefined ? 0 : index.leading((item) => newestFirst(positionOf(item), after) <= 0);
    const start = Math.max(from, passed) + offset;
    return {
      items: index.slice(start, Math.min(start + limit, to)),
      total,
      hasMore: start + limit < to,
    };
  }
  const left =
    after === undefined ? to : index.leading((item) => newestFirst(positionOf(item), after) < 0);
  const end = Math.min(to, left) - offset;
  const items = index.slice(Math.max(from, end - limit), end).reverse();
  return { items, total, hasMore: end - limit > from };
};
