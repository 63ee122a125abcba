import type { SessionHead } from '../../src/session/session-record.js';
import type { PageRange, RecordPage } from '../../src/store/session-store.js';
import type { SortedItems } from './ordered-index.js';
import type { StoredSession } from './stored-session.js';

/** Sessions in the order of their creation, the newest first. */
export type NewestFirst = SortedItems<StoredSession>;

/** A page of an index. */
export interface IndexPage extends Pick<RecordPage, 'total'> {
  readonly items: readonly StoredSession[];
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

/** The ranks of the sessions between the times of a range. */
export const ranksBetween = (
  index: NewestFirst,
  { createdAfter, createdBefore }: PageRange,
): { readonly from: number; readonly to: number } => {
  let from = 0;
  let to = index.size;
  if (createdBefore !== undefined)
    from = index.leading(({ head }) => head.createdAt >= createdBefore);
  if (createdAfter !== undefined) to = index.leading(({ head }) => head.createdAt > createdAfter);
  return { from, to: Math.max(from, to) };
};

/** A page of an index. Each bound is found as a rank. */
export const pageOf = (index: NewestFirst, range: PageRange): IndexPage => {
  const { offset, limit, order, cursor } = range;
  const { from, to } = ranksBetween(index, range);
  const total = to - from;
  const after = cursor && { id: cursor.id, createdAt: cursor.at };
  if (order === 'oldest') {
    const newer = after && index.leading(({ head }) => newestFirst(head, after) < 0);
    const end = Math.min(to, newer ?? to) - offset;
    const items = index.slice(Math.max(from, end - limit), end).reverse();
    return { items, total, hasMore: end - limit > from };
  }
  const passed = after && index.leading(({ head }) => newestFirst(head, after) <= 0);
  const start = Math.max(from, passed ?? from) + offset;
  const items = index.slice(start, Math.min(start + limit, to));
  return { items, total, hasMore: start + limit < to };
};
