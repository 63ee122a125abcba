import { err, ok, type Result } from 'neverthrow';
import { type StoreError, type TooManyLabelled, tooManyLabelled } from '../../src/session/errors.js';
import { LABEL_SEARCH_LIMIT } from '../../src/session/session-limits.js';
import type { PageRange } from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { labelsIn } from '../shared/label-search.js';
import { type Call, script } from './connection.js';
import { labelKey, type TenantKeys } from './keyspace.js';
import searchLua from './scripts/search.lua';
import { letterOf } from './status-letters.js';

const searchScript = script(searchLua);

/** A session that was found, with its time in the order of the page. */
interface Found {
  readonly member: string;
  readonly time: number;
}

/** The members of a page, in ascending order. */
export interface FoundPage {
  readonly total: number;
  readonly members: readonly string[];
  /** The time of the last session in the order of the page; '' if none follows. */
  readonly edge: string;
}

/** A creation time as an argument of scripts. */
export const timeText = (createdAt: string | undefined): string =>
  createdAt === undefined ? '' : String(Date.parse(createdAt));

const compare = (a: Found, b: Found): number => {
  if (a.time !== b.time) return a.time - b.time;
  if (a.member === b.member) return 0;
  return a.member < b.member ? -1 : 1;
};

/** Cuts the page of a range out of all sessions that were found. */
const pageOf = (found: readonly Found[], { offset, limit, order = 'newest', cursor }: PageRange): FoundPage => {
  const rising = found.toSorted(compare);
  const ordered = order === 'oldest' ? rising : rising.toReversed();
  const sign = order === 'oldest' ? 1 : -1;
  const position = cursor && { time: Date.parse(cursor.at), member: escapeName(cursor.id) };
  const following = position ? ordered.filter((each) => sign * compare(each, position) > 0) : ordered;
  const page = following.slice(offset, offset + limit);
  const last = following.length > offset + limit ? page.at(-1) : undefined;
  const members = page.map(({ member }) => member);
  return {
    total: found.length,
    members: order === 'oldest' ? members : members.toReversed(),
    edge: last === undefined ? '' : String(last.time),
  };
};

/** Finds the page of a search by labels. Each call examines a few hundred sessions. */
export const searchLabels = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
): Promise<Result<FoundPage, StoreError | TooManyLabelled>> => {
  const { order = 'newest', createdAfter, createdBefore, status, now } = range;
  const labels = labelsIn(range);
  const names = [keys.records, ...labels.map((label) => labelKey(keys, ...label))];
  const args = [order, timeText(createdAfter), timeText(createdBefore)];
  args.push(status === undefined ? '' : letterOf(status.status), String(status?.now ?? -1), String(now ?? -1));
  args.push(String(LABEL_SEARCH_LIMIT));
  const all: Found[] = [];
  let position: readonly string[] = [];
  do {
    const reply = await call.readScript(searchScript, names, [...args, ...position]);
    if (reply.isErr()) return err(reply.error.error);
    const [chosen = '', time = '', member = '', ...found] = Array.isArray(reply.value) ? reply.value.map(String) : [];
    const crowded = chosen === 'many' ? labels[Number(time) - 1] : undefined;
    if (crowded !== undefined) return err(tooManyLabelled(crowded, LABEL_SEARCH_LIMIT));
    for (let at = 0; at < found.length; at += 2) all.push({ member: found[at] ?? '', time: Number(found[at + 1]) });
    position = time === '' ? [] : [chosen, time, member];
  } while (position.length > 0);
  return ok(pageOf(all, range));
};
