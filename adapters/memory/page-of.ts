import type { ListPlace, PageRange, RecordPage } from '../../src/store/session-store.js';
import type { OrderedIndex } from './ordered-index.js';

/** A page of an index. */
export interface IndexPage<T> extends Pick<RecordPage, 'total'> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

export const compare = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** Timestamps have one format, so they sort as text. */
export const newestFirst = (a: ListPlace, b: ListPlace): number =>
  compare(b.createdAt, a.createdAt) || compare(b.id, a.id);

/** A page of an index that is sorted newest first. Each bound is found as a rank, in O(log n). */
export const pageOf = <T>(index: OrderedIndex<T>, placeOf: (item: T) => ListPlace, range: PageRange): IndexPage<T> => {
  const { offset, limit, order, createdAfter, createdBefore, after } = range;
  const from = createdBefore === undefined ? 0 : index.leading((item) => placeOf(item).createdAt >= createdBefore);
  const to = createdAfter === undefined ? index.size : index.leading((item) => placeOf(item).createdAt > createdAfter);
  const total = Math.max(0, to - from);
  if (order !== 'oldest') {
    const passed = after === undefined ? 0 : index.leading((item) => newestFirst(placeOf(item), after) <= 0);
    const start = Math.max(from, passed) + offset;
    return { items: index.slice(start, Math.min(start + limit, to)), total, hasMore: start + limit < to };
  }
  const left = after === undefined ? to : index.leading((item) => newestFirst(placeOf(item), after) < 0);
  const end = Math.min(to, left) - offset;
  const items = index.slice(Math.max(from, end - limit), end).reverse();
  return { items, total, hasMore: end - limit > from };
};
