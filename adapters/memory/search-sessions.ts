import { err, ok, type Result } from 'neverthrow';
import { type SearchTooLarge, searchTooLarge } from '../../src/session/errors.js';
import { SEARCH_LIMIT } from '../../src/session/session-limits.js';
import type { PageRange } from '../../src/store/session-store.js';
import { isInRange, updatedAt } from '../shared/session-search.js';
import { compare, type IndexPage, type NewestFirst, ranksBetween } from './page-of.js';
import type { StoredSession } from './stored-session.js';

/** The time and the id of a session, by which a list is sorted. */
interface Placed {
  readonly at: number;
  readonly id: string;
}

/**
 * Finds a page by examining all sessions of the smallest index. Each index has all sessions of the
 * range.
 */
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
