import { err, ok, type Result } from 'neverthrow';
import { type TooManyLabelled, tooManyLabelled } from '../../src/session/errors.js';
import { LABEL_SEARCH_LIMIT } from '../../src/session/session-limits.js';
import type { ListCursor, PageRange } from '../../src/store/session-store.js';
import { isInRange, labelsIn, updatedAt } from '../shared/label-search.js';
import type { OrderedIndex } from './ordered-index.js';
import { compare, type IndexPage, ranksBetween } from './page-of.js';
import type { StoredSession } from './stored-session.js';

/** The time and the id of a session, by which a list is sorted. */
interface Placed {
  readonly at: number;
  readonly session: StoredSession;
}

const idOf = ({ session }: Placed): string => session.head.id;

/** Finds a page by examining all sessions of the label that has the fewest. `indexOf` returns the index of a label. */
export const searchLabels = (
  range: PageRange,
  indexOf: (name: string, value: string) => OrderedIndex<StoredSession>,
): Result<IndexPage<StoredSession>, TooManyLabelled> => {
  const candidates = labelsIn(range)
    .map((label) => {
      const index = indexOf(...label);
      const { from, to } = ranksBetween(index, ({ head }) => head, range);
      return { label, index, from, to, count: Math.max(0, to - from) };
    })
    .sort((a, b) => a.count - b.count);
  const [fewest] = candidates;
  if (fewest === undefined) return ok({ items: [], total: 0, hasMore: false });
  if (fewest.count > LABEL_SEARCH_LIMIT) return err(tooManyLabelled(fewest.label, LABEL_SEARCH_LIMIT));
  const { offset, limit, order = 'newest', cursor, now } = range;
  const sign = order === 'oldest' ? 1 : -1;
  const found = fewest.index
    .slice(fewest.from, fewest.to)
    .filter(({ state }) => isInRange(state, range))
    .map((session): Placed => {
      const at = order === 'updated' ? updatedAt(session.state, now) : Date.parse(session.head.createdAt);
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
