import { err, ok, type Result } from 'neverthrow';
import { type SearchTooLarge, type StoreError, searchTooLarge } from '../../src/session/errors.js';
import { SEARCH_LIMIT } from '../../src/session/session-limits.js';
import type { PageRange } from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { labelsIn } from '../shared/session-search.js';
import { type Call, script } from './connection.js';
import { type FoundPage, findPage, positionOf, textsIn, timeText } from './find-page.js';
import { labelKey, type TenantKeys } from './keyspace.js';
import searchLua from './scripts/search.lua';
import { lettersOf } from './status-letters.js';

const searchScript = script(searchLua);

/** A session that was found, with its time in the order of the page. */
interface Found {
  readonly member: string;
  readonly time: number;
}

const compare = (a: Found, b: Found): number => {
  if (a.time !== b.time) return a.time - b.time;
  if (a.member === b.member) return 0;
  return a.member < b.member ? -1 : 1;
};

/** Cuts the page of a range out of all sessions that were found. */
const pageOf = (
  found: readonly Found[],
  { offset, limit, order = 'newest', cursor }: PageRange,
): FoundPage => {
  const rising = found.toSorted(compare);
  const ordered = order === 'oldest' ? rising : rising.toReversed();
  const sign = order === 'oldest' ? 1 : -1;
  const position = cursor && { time: Date.parse(cursor.at), member: escapeName(cursor.id) };
  const following = position
    ? ordered.filter((each) => sign * compare(each, position) > 0)
    : ordered;
  const page = following.slice(offset, offset + limit);
  const last = following.length > offset + limit ? page.at(-1) : undefined;
  const members = page.map(({ member }) => member);
  return {
    total: found.length,
    members: order === 'oldest' ? members : members.toReversed(),
    edge: last === undefined ? '' : String(last.time),
  };
};

/** The sessions of a search. */
type Search = Promise<Result<readonly Found[], StoreError | SearchTooLarge>>;

/** Finds the sessions of a search by labels. Each call examines a few hundred sessions. */
const searchLabels = async (call: Call, keys: TenantKeys, range: PageRange): Search => {
  const { order = 'newest', createdAfter, createdBefore, status, now } = range;
  const labels = labelsIn(range);
  const names = [keys.records, ...labels.map((label) => labelKey(keys, ...label))];
  const args = [order, timeText(createdAfter), timeText(createdBefore)];
  args.push(lettersOf(status), String(status?.now ?? -1), String(now ?? -1), String(SEARCH_LIMIT));
  const all: Found[] = [];
  let position: readonly string[] = [];
  do {
    const reply = await call.readScript(searchScript, names, [...args, ...position]);
    if (reply.isErr()) return err(reply.error.error);
    const [chosen = '', time = '', member = '', ...found] = textsIn(reply.value);
    if (chosen === 'many') return err(searchTooLarge(SEARCH_LIMIT));
    for (let at = 0; at < found.length; at += 2)
      all.push({ member: found[at] ?? '', time: Number(found[at + 1]) });
    position = time === '' ? [] : [chosen, time, member];
  } while (position.length > 0);
  return ok(all);
};

/** Sessions that one call of a search without labels examines, so that others get their turn. */
const PART = 200;

/**
 * Finds the sessions of a search without labels, with the times of their last updates. Walks the
 * list by creation, in which a session keeps its place whatever changes, so that none is missed.
 */
const searchAll = async (call: Call, keys: TenantKeys, range: PageRange): Search => {
  const times = new Map<string, string>();
  let part: PageRange = { ...range, order: 'oldest', offset: 0, limit: PART, cursor: undefined };
  for (;;) {
    const reply = await findPage(call, keys, part, 'times');
    if (reply.isErr()) return err(reply.error);
    const [total, edge = '', ...found] = reply.value;
    if (Number(total) > SEARCH_LIMIT) return err(searchTooLarge(SEARCH_LIMIT));
    const before = times.size;
    for (let at = 0; at < found.length; at += 2) times.set(found[at] ?? '', found[at + 1] ?? '');
    // Without progress, an index is damaged, and the next part would be this one again.
    if (edge === '' || times.size === before) break;
    const cursor = positionOf(found.at(-2) ?? '', Number(edge));
    if (cursor === undefined) break;
    part = { ...part, cursor };
  }
  // The record of a removed session is missing.
  const stored = [...times].filter(([, time]) => time !== '');
  return ok(stored.map(([member, time]) => ({ member, time: Number(time) })));
};

/** Finds the page of a search: of all sessions, or of those with some labels. */
export const searchSessions = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
): Promise<Result<FoundPage, StoreError | SearchTooLarge>> => {
  const search = labelsIn(range).length === 0 ? searchAll : searchLabels;
  return (await search(call, keys, range)).map((found) => pageOf(found, range));
};
