import { err, ok, type Result } from 'neverthrow';
import { type SearchTooLarge, searchTooLarge } from '../../src/session/errors.js';
import { SEARCH_LIMIT } from '../../src/session/session-limits.js';
import type { ListCursor, PageRange } from '../../src/store/session-store.js';
import { isInRange, updatedAt } from '../shared/session-search.js';
import type { SortedItems } from './ordered-index.js';
import { compare, type IndexPage, ranksBetween } from './page-of.js';
import type { StoredSession } from './stored-session.js';

/** The time and the id of a session, by which a list is sorted. */
interface Placed {
  readonly at: number;
  readonly session: StoredSession;
}

const idOf = ({ session }: Placed): string => session.head.id;

/**
 * Finds a page by examining all sessions of the smallest index. Each index has all sessions of the
 * range.
 */
export const searchSessions = (
  range: PageRange,
  indexes: readonly SortedItems<StoredSession>[],
): Result<IndexPage<StoredSession>, SearchTooLarge> => {
  const candidates = indexes
    .map((index) => {
      const { from, to } = ranksBetween(index, ({ head }) => head, range);
      return { index, from, to, count: Math.max(0, to - from) };
    })
    .sort((a, b) => a.count - b.count);
  const [fewest] = candidates;
  if (fewest === undefined) return ok({ items: [], total: 0, hasMore: false });
  if (fewest.count > SEARCH_LIMIT) return err(searchTooLarge(SEARCH_LIMIT));
  const { offset, limit, order = 'newest', cursor, now } = range;
  const sign = order === 'oldest' ? 1 : -1;
  const found = fewest.index
    .slice(fewest.from, fewest.to)
    .filter(({ state }) => isInRange(state, range))
    .map((session): Placed => {
      const at =
        order === 'updated' ? updatedAt(session.state, now) : Date.parse(session.head.createdAt);
      return { at, session };
    })
    .sort((a, b) => sign * (a.at - b.at || compare(idOf(a), idOf(b))));
  const isAfter = (position: ListCursor) => {
    const ms = Date.parse(position.at);
    return (one: Placed) => sign * (one.at - ms || compare(idOf(one), position.id)) > 0;
  };
  const rest = cursor === undefined ? found : found.filter(isAfter(cursor));
  const items = rest.slice(offset, offset + limit).map(({ session }) => session);
  return ok({ items, total: found.length, hasMore: offset + limit < rest.length });
};
