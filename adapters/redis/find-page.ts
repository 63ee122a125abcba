import { err, ok, Result } from 'neverthrow';
import { type SearchTooLarge, type StoreError, searchTooLarge } from '../../src/session/errors.js';
import { SEARCH_LIMIT } from '../../src/session/limits.js';
import type { ListCursor, PageRange } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../shared/escape-name.js';
import { finite, NEVER } from '../shared/never.js';
import { type Call, script } from './connection.js';
import { tooManyEnded } from './failure.js';
import type { TenantKeys } from './keyspace.js';
import { letterOf } from './record.js';
import { asCount, asList, asListOf, asText, type ReplyForm } from './reply-form.js';
import pageLua from './scripts/page.lua';

const pageScript = script(pageLua);

/** What the script returns of a session, beside its key. */
type Part = '' | 'size' | 'record' | 'created' | 'updated';

/** A session of a page. */
export interface Found {
  readonly idKey: string;
  /** The record or the time; see the script. */
  readonly part: string;
}

/** A page in ascending order. */
export interface FoundPage {
  readonly total: number;
  readonly sessions: readonly Found[];
  /** The time of the last session in the order of the page; '' if none follows. */
  readonly lastTime: string;
  /** The bytes of the records; with the part `size` also of the journals. */
  readonly bytes: number;
}

/** A creation time as an argument of scripts. */
const timeText = (createdAt: string | undefined): string =>
  createdAt === undefined ? '' : String(Date.parse(createdAt));

/**
 * The position of a session; `undefined` if the time in the index is invalid because of changes
 * from outside, which `repair` corrects.
 */
export const cursorOf = (idKey: string, ms: string): ListCursor | undefined => {
  const time = new Date(Number(ms));
  if (ms === '' || Number.isNaN(time.getTime())) return undefined;
  return { id: unescapeName(idKey), at: time.toISOString() };
};

/** The list of a label, or those of the statuses of a range, or that of all sessions. */
const indexesFor = (
  keys: TenantKeys,
  { status }: PageRange,
  [list]: readonly string[],
): readonly string[] => {
  if (list !== undefined) return [list];
  if (status === undefined) return [keys.index];
  return status.anyOf.map((each) => keys.byStatus[each]);
};

const asPage: ReplyForm<FoundPage | 'ended'> = (reply) => {
  if (reply === 'ended') return reply;
  const [totalCount, lastTime, byteCount, ...others] = asList(reply) ?? [];
  const [total, bytes, texts] = [asCount(totalCount), asCount(byteCount), asListOf(asText)(others)];
  if (total === undefined || bytes === undefined || typeof lastTime !== 'string') return undefined;
  if (texts === undefined || texts.length % 2 > 0) return undefined;
  const sessions: Found[] = [];
  for (let at = 0; at < texts.length; at += 2)
    sessions.push({ idKey: texts[at] ?? '', part: texts[at + 1] ?? '' });
  return { total, sessions, lastTime, bytes };
};

/**
 * Runs the script that finds the sessions of a page. `lists` are those of labels: the first one is
 * the index of the page, and a session of a search must be in the others.
 */
export const findPage = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  part: Part,
  lists: readonly string[],
): Promise<Result<FoundPage, StoreError>> => {
  const { offset, limit, order = 'newest', status, cursor, now = -1, maxBytes = NEVER } = range;
  const indexes = indexesFor(keys, range, lists);
  const isByStatus = lists.length === 0 && status !== undefined;
  const args = [
    ...[order, String(offset), String(limit), part],
    ...[timeText(range.createdAfter), timeText(range.createdBefore)],
    ...[timeText(cursor?.at), escapeName(cursor?.id ?? '')],
    ...[
      status?.anyOf.map(letterOf).join('') ?? '',
      String(status?.now ?? -1),
      String(now),
      String(finite(maxBytes)),
    ],
    ...[String(indexes.length), String(Number(isByStatus))],
  ];
  const names = [keys.records, keys.journals, keys.deadlines, ...indexes, ...lists.slice(1)];
  const reply = await call.readScript(pageScript, names, args, asPage);
  if (reply.isErr()) return err(reply.error.error);
  return reply.value === 'ended' ? err(tooManyEnded) : ok(reply.value);
};

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
    lists.map((list) => call.readCommand((client) => client.zcount(list, least, most), asCount)),
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
