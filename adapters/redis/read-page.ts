import { err, ok, Result } from 'neverthrow';
import {
  type SearchTooLarge,
  type StoreError,
  searchTooLarge,
  type TooLarge,
  tooLarge,
} from '../../src/session/errors.js';
import { SEARCH_LIMIT } from '../../src/session/limits.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import { sessionStatuses } from '../../src/session/session-status.js';
import { isInRange, isSearch } from '../../src/store/page-range.js';
import type { ListCursor, PageRange, RecordPage, StatusAt } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../stored/escape-name.js';
import { finite, NEVER } from '../stored/infinite-times.js';
import { type Call, scriptOf } from './connection.js';
import { tooManyEnded } from './failure.js';
import { labelKey, type TenantKeys } from './keyspace.js';
import { type ReadRecord, readSessions, sessionIn } from './read-sessions.js';
import { letterOf } from './record.js';
import { asCount, asList, type ReplyForm } from './reply-form.js';
import fieldsLua from './scripts/fields.lua';
import listLua from './scripts/list.lua';
import pageLua from './scripts/page.lua';
import partsLua from './scripts/page-parts.lua';
import recordLua from './scripts/record.lua';

const listScript = scriptOf(listLua, partsLua);
const pageScript = scriptOf(fieldsLua, recordLua, pageLua, partsLua);

/** What a script reads of each session; for a search, the time to order it by. */
type Part = '' | 'size' | 'record' | 'created' | 'updated';

interface FoundPage {
  readonly total: number;
  readonly idKeys: readonly string[];
  readonly parts: readonly string[];
  readonly lastTime: string;
  /** The bytes of records, or of journals for the part `size`; `NEVER` if unknown. */
  readonly bytes: number;
}

type Found<E = StoreError> = Promise<Result<FoundPage, E>>;

const timeText = (createdAt: string | undefined): string =>
  createdAt === undefined ? '' : String(Date.parse(createdAt));

/**
 * Undefined if the time in the index is invalid because of outside changes, which `repair`
 * corrects.
 */
const cursorOf = (idKey: string, ms: string): ListCursor | undefined => {
  const time = new Date(Number(ms));
  if (ms === '' || Number.isNaN(time.getTime())) return undefined;
  return { id: unescapeName(idKey), at: time.toISOString() };
};

const isText = (value: unknown): value is string => typeof value === 'string';

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

const listsBesides = ({ byStatus }: TenantKeys, { anyOf }: StatusAt): readonly string[] =>
  sessionStatuses.filter((each) => !anyOf.includes(each)).map((each) => byStatus[each]);

/**
 * Finds sessions in the first list of labels, the lists of statuses, or the list of all. One list
 * without further conditions needs only the short script.
 */
const findPage = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  part: Part,
  [label, ...others]: readonly string[],
): Found => {
  const { order = 'newest', status, now, createdAfter, createdBefore, cursor } = range;
  const statuses = label === undefined ? status : undefined;
  const indexes = statuses?.anyOf.map((each) => keys.byStatus[each]) ?? [label ?? keys.index];
  const names = [keys.records, keys.journals, ...indexes];
  const place = [timeText(cursor?.at), escapeName(cursor?.id ?? '')];
  const args = [order, range.offset, range.limit, part, finite(range.maxBytes ?? NEVER), ...place];
  const isSearched = part === 'created' || part === 'updated';
  if (!isSearched && (status ?? createdAfter ?? createdBefore) === undefined) {
    const found = await call.readScript(listScript, names, args.map(String), asPage(part));
    if (found.isErr()) return err(found.error.error);
    if (typeof found.value === 'object') return ok(found.value);
  }
  const letters = status?.anyOf.map(letterOf).join('') ?? '';
  args.push(timeText(createdAfter), timeText(createdBefore), letters);
  args.push(status?.now ?? -1, now ?? -1, indexes.length, Number(statuses !== undefined));
  names.push(keys.deadlines, ...(statuses ? listsBesides(keys, statuses) : others));
  const found = await call.readScript(pageScript, names, args.map(String), asPage(part));
  if (found.isErr()) return err(found.error.error);
  return typeof found.value === 'object' ? ok(found.value) : err(tooManyEnded);
};

/** Sessions that one call examines in about a millisecond, so that other calls get their turn. */
const PART = 300;

type Place = readonly [idKey: string, time: string];

/** Times have no leading zeros, so equal times have equal strings. */
const compare = ([a, aTime]: Place, [b, bTime]: Place): number => {
  const difference = Number(aTime) - Number(bTime);
  if (difference !== 0 || a === b) return difference;
  return a < b ? -1 : 1;
};

const pageOf = (
  found: readonly Place[],
  { offset, limit, order, cursor }: PageRange,
): Pick<FoundPage, 'idKeys' | 'lastTime'> => {
  const sign = order === 'oldest' ? 1 : -1;
  const ordered = found.toSorted((a, b) => sign * compare(a, b));
  const place: Place | undefined = cursor && [escapeName(cursor.id), timeText(cursor.at)];
  const following = ordered.filter((each) => !place || sign * compare(each, place) > 0);
  const page = following.slice(offset, offset + limit);
  const hasMore = following.length > offset + limit;
  return { idKeys: page.map(([idKey]) => idKey), lastTime: (hasMore && page.at(-1)?.[1]) || '' };
};

const leastFirst = async (
  call: Call,
  lists: readonly string[],
  { createdAfter, createdBefore }: PageRange,
): Promise<Result<readonly string[], StoreError>> => {
  if (lists.length < 2) return ok(lists);
  const least = createdAfter === undefined ? '-inf' : `(${timeText(createdAfter)}`;
  const most = createdBefore === undefined ? '+inf' : `(${timeText(createdBefore)}`;
  const counts = await Promise.all(
    lists.map((list) => call.readCommand('zcount', [list, least, most], asCount)),
  );
  const countOf = (all: readonly number[], list: string) => all[lists.indexOf(list)] ?? 0;
  return Result.combine(counts)
    .map((all) => lists.toSorted((a, b) => countOf(all, a) - countOf(all, b)))
    .mapErr(({ error }) => error);
};

/** Walks a list by creation time, in which each session keeps its place, so that none is missed. */
const searchSessions = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  labels: readonly string[],
): Found<StoreError | SearchTooLarge> => {
  const lists = await leastFirst(call, labels, range);
  if (lists.isErr()) return err(lists.error);
  const order = range.order === 'updated' ? 'updated' : 'created';
  const times = new Map<string, string>();
  let part: PageRange = { ...range, order: 'oldest', offset: 0, limit: PART, cursor: undefined };
  do {
    const reply = await findPage(call, keys, part, order, lists.value);
    if (reply.isErr()) return err(reply.error);
    const { total, idKeys, parts, lastTime } = reply.value;
    if (total > SEARCH_LIMIT) return err(searchTooLarge(SEARCH_LIMIT));
    for (const [at, idKey] of idKeys.entries()) times.set(idKey, parts[at] ?? '');
    part = { ...part, cursor: cursorOf(idKeys.at(-1) ?? '', lastTime) };
  } while (part.cursor !== undefined);
  const found = [...times].filter(([, time]) => time !== '');
  return ok({ total: found.length, parts: [], bytes: NEVER, ...pageOf(found, range) });
};

const partOf = ({ historyLimit }: PageRange): '' | 'size' | 'record' => {
  if (historyLimit === undefined) return 'size';
  return historyLimit === 0 ? 'record' : '';
};

const sessionsOf = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  { idKeys, parts, bytes }: FoundPage,
): Promise<Result<readonly ReadRecord[], StoreError | TooLarge>> => {
  if (parts.length === 0) return readSessions(call, keys, idKeys, range, bytes);
  const refusal = tooLarge(range, bytes, idKeys.length);
  if (refusal !== undefined) return err(refusal);
  return ok(idKeys.map((idKey, at) => sessionIn(idKey, parts[at] ?? '', '', 0)));
};

/** A session may have been changed or replaced after the script. */
const belongsTo = ({ head: { createdAt }, state }: SessionRecord, range: PageRange): boolean => {
  const { createdAfter = '', createdBefore } = range;
  if (createdAt <= createdAfter) return false;
  return (createdBefore === undefined || createdAt < createdBefore) && isInRange(state, range);
};

/**
 * A script finds the sessions, with their records if no histories are requested. Another command
 * reads complete sessions, so that each record and its journal belong together.
 */
export const readPage = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
): Promise<Result<RecordPage, StoreError | SearchTooLarge | TooLarge>> => {
  const lists = Object.entries(range.labels ?? {}).map((label) => labelKey(keys, ...label));
  const page = isSearch(range)
    ? await searchSessions(call, keys, range, lists)
    : await findPage(call, keys, range, partOf(range), lists);
  if (page.isErr()) return err(page.error);
  const { total, idKeys, lastTime } = page.value;
  const read = await sessionsOf(call, keys, range, page.value);
  if (read.isErr()) return err(read.error);
  const records: SessionRecord[] = [];
  const unreadable: string[] = [];
  for (const [at, record] of read.value.entries()) {
    if (record === 'corrupt') unreadable.push(unescapeName(idKeys[at] ?? ''));
    else if (record !== 'missing' && belongsTo(record, range)) records.push(record);
  }
  const nextCursor = cursorOf(idKeys.at(-1) ?? '', lastTime);
  const gone = idKeys.length - records.length - unreadable.length;
  return ok({ records, total: total - gone, unreadable, ...(nextCursor && { nextCursor }) });
};
