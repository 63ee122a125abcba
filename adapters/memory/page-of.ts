import { err, ok, type Result } from 'neverthrow';
import { type SearchTooLarge, searchTooLarge } from '../../src/session/errors.js';
import { SEARCH_LIMIT } from '../../src/session/limits.js';
import type { SessionHead } from '../../src/session/session-record.js';
import { isInRange, updatedAt } from '../../src/store/page-range.js';
import type { PageRange, RecordPage } from '../../src/store/session-store.js';
import type { SortedItems } from './ordered-index.js';
import type { StoredSession } from './stored-session.js';

export type NewestFirst = SortedItems<StoredSession>;

export interface IndexPage extends Pick<RecordPage, 'total'> {
  readonly items: readonly StoredSession[];
  readonly hasMore: boolean;
}

export const compare = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

type Created = Pick<SessionHead, 'id' | 'createdAt'>;

/** Timestamps have one format, so they sort as strings. */
export const newestFirst = (a: Created, b: Created): number =>
  compare(b.createdAt, a.createdAt) || compare(b.id, a.id);

const ranksBetween = (
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

interface Placed {
  readonly at: number;
  readonly id: string;
}

/** Examines all sessions of the smallest index. Each index contains all sessions of the range. */
export const searchSessions = (
  range: PageRange,
  indexes: readonly NewestFirst[],
): Result<IndexPage, SearchTooLarge> => {
  const [fewest] = indexes
    .map((index) => ({ index, ...ranksBetween(index, range) }))
    .sort((a, b) => a.to - a.from - (b.to - b.from));
  if (fewest === undefined) return ok({ items: [], total: 0, hasMore: false });
  if (fewest.to - fewest.from > SEARCH_LIMIT) return err(searchTooLarge(SEARCH_LIMIT));
  const { offset, limit, order, cursor, now } = range;
  const inOrder = (a: Placed, b: Placed): number => {
    const older = a.at - b.at || compare(a.id, b.id);
    return order === 'oldest' ? older : -older;
  };
  const placed = (session: StoredSession) => {
    const { id, createdAt } = session.head;
    const at = order === 'updated' ? updatedAt(session.state, now) : Date.parse(createdAt);
    return { at, id, session };
  };
  const found = fewest.index
    .slice(fewest.from, fewest.to)
    .filter(({ state }) => isInRange(state, range))
    .map(placed)
    .sort(inOrder);
  const after = cursor && { at: Date.parse(cursor.at), id: cursor.id };
  const rest = found.filter((one) => after === undefined || inOrder(one, after) > 0);
  const items = rest.slice(offset, offset + limit).map(({ session }) => session);
  return ok({ items, total: found.length, hasMore: offset + limit < rest.length });
};
