import { err, ok, Result } from 'neverthrow';
import { type SearchTooLarge, type StoreError, searchTooLarge } from '../../src/session/errors.js';
import { SEARCH_LIMIT } from '../../src/session/session-limits.js';
import type { PageRange } from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import type { Call } from './connection.js';
import { cursorOf, type Found, type FoundPage, findPage, timeText } from './find-page.js';
import type { TenantKeys } from './keyspace.js';

/** Sessions that one call examines, so that others get their turn: about a millisecond. */
const PART = 300;

/** In the order of times, which have no leading zeros in common. */
const compare = (a: Found, b: Found): number => {
  const difference = Number(a.part) - Number(b.part);
  if (difference !== 0 || a.idKey === b.idKey) return difference;
  return a.idKey < b.idKey ? -1 : 1;
};

/** Cuts the page of a range out of all sessions that were found. */
const pageOf = (
  found: readonly Found[],
  { offset, limit, order, cursor }: PageRange,
): FoundPage => {
  const sign = order === 'oldest' ? 1 : -1;
  const ordered = found.toSorted((a, b) => sign * compare(a, b));
  const place = cursor && { part: timeText(cursor.at), idKey: escapeName(cursor.id) };
  const following = ordered.filter((each) => !place || sign * compare(each, place) > 0);
  const page = following.slice(offset, offset + limit);
  const hasMore = following.length > offset + limit;
  const lastTime = (hasMore && page.at(-1)?.part) || '';
  if (sign < 0) page.reverse();
  return { total: found.length, sessions: page, lastTime, bytes: 0 };
};

/** The lists of labels, that with the fewest sessions between the two times of a range first. */
const leastFirst = async (
  call: Call,
  lists: readonly string[],
  { createdAfter, createdBefore }: PageRange,
): Promise<Result<readonly string[], StoreError>> => {
  if (lists.length < 2) return ok(lists);
  const least = createdAfter === undefined ? '-inf' : `(${timeText(createdAfter)}`;
  const most = createdBefore === undefined ? '+inf' : `(${timeText(createdBefore)}`;
  const counts = await Promise.all(
    lists.map((list) => call.readCommand((client) => client.zcount(list, least, most))),
  );
  return Result.combine(counts)
    .map((all) => {
      const countOf = new Map(lists.map((list, at) => [list, all[at] ?? 0]));
      return lists.toSorted((a, b) => (countOf.get(a) ?? 0) - (countOf.get(b) ?? 0));
    })
    .mapErr(({ error }) => error);
};

/**
 * Finds the page of a search. Walks a list by creation, in which a session keeps its place whatever
 * changes, so that none is missed.
 */
export const searchSessions = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  labels: readonly string[],
): Promise<Result<FoundPage, StoreError | SearchTooLarge>> => {
  const lists = await leastFirst(call, labels, range);
  if (lists.isErr()) return err(lists.error);
  const order = range.order === 'updated' ? 'updated' : 'created';
  const times = new Map<string, Found>();
  let part: PageRange = { ...range, order: 'oldest', offset: 0, limit: PART, cursor: undefined };
  do {
    const reply = await findPage(call, keys, part, order, lists.value);
    if (reply.isErr()) return err(reply.error);
    const { total, sessions, lastTime } = reply.value;
    if (total > SEARCH_LIMIT) return err(searchTooLarge(SEARCH_LIMIT));
    for (const each of sessions) times.set(each.idKey, each);
    part = { ...part, cursor: cursorOf(sessions.at(-1)?.idKey ?? '', lastTime) };
  } while (part.cursor !== undefined);
  const found = [...times.values()].filter((each) => each.part !== '');
  return ok(pageOf(found, range));
};
