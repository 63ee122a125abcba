import { err, ok, Result } from 'neverthrow';
import { type SearchTooLarge, type StoreError, searchTooLarge } from '../../src/session/errors.js';
import { SEARCH_LIMIT } from '../../src/session/limits.js';
import type { ListCursor, PageRange } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../shared/escape-name.js';
import { finite, NEVER } from '../shared/never.js';
import { type Call, type Reply, script, scriptOf } from './connection.js';
import { tooManyEnded } from './failure.js';
import type { TenantKeys } from './keyspace.js';
import { letterOf } from './record.js';
import { asCount, asList, type ReplyForm } from './reply-form.js';
import listLua from './scripts/list.lua';
import pageLua from './scripts/page.lua';

const listScript = scriptOf(listLua);
const pageScript = script(pageLua);

/** What a script reads of each session of a page. */
type Part = '' | 'size' | 'record' | 'created' | 'updated';

/** The sessions of a page, in its order. */
export interface FoundPage {
  readonly total: number;
  readonly idKeys: readonly string[];
  /** The records or times of the sessions, if asked for; see the script. */
  readonly parts: readonly string[];
  /** The time of the last session; '' if none follows. */
  readonly lastTime: string;
  /** The bytes of the records; with the part `size` those of the journals. */
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

const isText = (value: unknown): value is string => typeof value === 'string';

/** The page, or why it was not found. */
const asPage =
  (part: Part): ReplyForm<FoundPage | 'ended' | 'moved'> =>
  (reply) => {
    if (reply === 'ended' || reply === 'moved') return reply;
    const [totalCount, lastTime, byteCount, ...texts] = asList(reply) ?? [];
    const [total, bytes] = [asCount(totalCount), asCount(byteCount)];
    if (total === undefined || bytes === undefined || !isText(lastTime)) return undefined;
    if (!texts.every(isText)) return undefined;
    const count = part === '' || part === 'size' ? texts.length : texts.length / 2;
    return { total, idKeys: texts.slice(0, count), parts: texts.slice(count), lastTime, bytes };
  };

const placeOf = ({ cursor }: PageRange): readonly string[] => [
  timeText(cursor?.at),
  escapeName(cursor?.id ?? ''),
];

/** Runs the script for a part of one index as it is. */
const findInIndex = (
  call: Call,
  { records, journals }: TenantKeys,
  range: PageRange,
  part: Part,
  index: string,
): Reply<FoundPage | 'ended' | 'moved'> => {
  const { offset, limit, order = 'newest', maxBytes = NEVER } = range;
  const args = [order, String(offset), String(limit), part, String(finite(maxBytes))];
  const names = [index, records, journals];
  return call.readScript(listScript, names, [...args, ...placeOf(range)], asPage(part));
};

/** Runs the script for all pages. */
const findAnywhere = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  part: Part,
  lists: readonly string[],
): Promise<Result<FoundPage, StoreError>> => {
  const { offset, limit, order = 'newest', status, now = -1, maxBytes = NEVER } = range;
  const indexes = indexesFor(keys, range, lists);
  const isByStatus = lists.length === 0 && status !== undefined;
  const args = [
    ...[order, String(offset), String(limit), part],
    ...[timeText(range.createdAfter), timeText(range.createdBefore), ...placeOf(range)],
    ...[
      status?.anyOf.map(letterOf).join('') ?? '',
      String(status?.now ?? -1),
      String(now),
      String(finite(maxBytes)),
    ],
    ...[String(indexes.length), String(Number(isByStatus))],
  ];
  const names = [keys.records, keys.journals, keys.deadlines, ...indexes, ...lists.slice(1)];
  const reply = await call.readScript(pageScript, names, args, asPage(part));
  if (reply.isErr()) return err(reply.error.error);
  return typeof reply.value === 'string' ? err(tooManyEnded) : ok(reply.value);
};

/** Finds the sessions of a page that is no search, of those in the list of a label if it has one. */
export const findPage = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  part: '' | 'size' | 'record',
  lists: readonly string[],
): Promise<Result<FoundPage, StoreError>> => {
  const { status, createdAfter, createdBefore } = range;
  if ((status ?? createdAfter ?? createdBefore) === undefined) {
    const found = await findInIndex(call, keys, range, part, lists[0] ?? keys.index);
    if (found.isErr()) return err(found.error.error);
    if (typeof found.value === 'object') return ok(found.value);
  }
  return findAnywhere(call, keys, range, part, lists);
};

/** Sessions that one call examines, so that others get their turn: about a millisecond. */
const PART = 300;

/** A session of a search and the time by which it is ordered. */
interface Found {
  readonly idKey: string;
  readonly time: string;
}

/** In the order of times, which have no leading zeros in common. */
const compare = (a: Found, b: Found): number => {
  const difference = Number(a.time) - Number(b.time);
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
  const place = cursor && { time: timeText(cursor.at), idKey: escapeName(cursor.id) };
  const following = ordered.filter((each) => !place || sign * compare(each, place) > 0);
  const idKeys = following.slice(offset, offset + limit).map(({ idKey }) => idKey);
  const last = following[offset + limit - 1];
  const lastTime = following.length > offset + limit && last ? last.time : '';
  return { total: found.length, idKeys, parts: [], lastTime, bytes: 0 };
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
  const times = new Map<string, string>();
  let part: PageRange = { ...range, order: 'oldest', offset: 0, limit: PART, cursor: undefined };
  do {
    const reply = await findAnywhere(call, keys, part, order, lists.value);
    if (reply.isErr()) return err(reply.error);
    const { total, idKeys, parts, lastTime } = reply.value;
    if (total > SEARCH_LIMIT) return err(searchTooLarge(SEARCH_LIMIT));
    for (const [at, idKey] of idKeys.entries()) times.set(idKey, parts[at] ?? '');
    part = { ...part, cursor: cursorOf(idKeys.at(-1) ?? '', lastTime) };
  } while (part.cursor !== undefined);
  const found = [...times].map(([idKey, time]) => ({ idKey, time }));
  return ok(
    pageOf(
      found.filter(({ time }) => time !== ''),
      range,
    ),
  );
};
