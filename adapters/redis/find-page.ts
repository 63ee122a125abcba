import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { ListCursor, PageRange } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../shared/escape-name.js';
import { labelsIn } from '../shared/session-search.js';
import { type Call, script } from './connection.js';
import { noStatusIndex, tooManyEnded } from './failure.js';
import { labelKey, type TenantKeys } from './keyspace.js';
import pageLua from './scripts/page.lua';
import { lettersOf } from './status-letters.js';

const pageScript = script(pageLua);

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

/**
 * The position of a session; `undefined` if the time in the index is invalid because of changes
 * from outside, which `repair` corrects.
 */
export const positionOf = (member: string, ms: number): ListCursor | undefined => {
  const time = new Date(ms);
  return Number.isNaN(time.getTime())
    ? undefined
    : { id: unescapeName(member), at: time.toISOString() };
};

/**
 * The arguments of the script. Those after the fourth are left out if none is used, because each
 * costs the server time.
 */
const argumentsOf = (range: PageRange, parts: string): readonly string[] => {
  const {
    offset,
    limit,
    order = 'newest',
    createdAfter,
    createdBefore,
    cursor,
    status,
    now = -1,
  } = range;
  const args = [order, String(offset), String(limit), parts];
  const isByUpdate = parts === 'times';
  if (!isByUpdate && (createdAfter ?? createdBefore ?? cursor ?? status) === undefined) return args;
  args.push(timeText(createdAfter), timeText(createdBefore));
  args.push(timeText(cursor?.at), cursor === undefined ? '' : escapeName(cursor.id));
  if (!isByUpdate && status === undefined) return args;
  args.push(lettersOf(status), String(status?.now ?? ''));
  if (isByUpdate) args.push(String(now));
  return args;
};

/** The indexes of a range; none if sessions are not listed by status. */
const indexesFor = (keys: TenantKeys, range: PageRange): readonly string[] => {
  const [label] = labelsIn(range);
  if (label !== undefined) return [labelKey(keys, ...label)];
  return range.status === undefined
    ? [keys.index]
    : range.status.anyOf.flatMap((each) => keys.byStatus[each] ?? []);
};

/** The texts in the reply of a script; none for any other reply. */
export const textsIn = (reply: unknown): readonly string[] =>
  Array.isArray(reply) ? reply.map(String) : [];

const reply = async (
  call: Call,
  keys: readonly string[],
  args: readonly string[],
): Promise<Result<readonly string[], StoreError>> => {
  const answer = await call.readScript(pageScript, keys, args);
  if (answer.isErr()) return err(answer.error.error);
  if (answer.value === 'ended') return err(tooManyEnded);
  return ok(textsIn(answer.value));
};

/** Runs the script that finds the sessions of a page. `parts` says what it returns of each. */
export const findPage = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  parts: string,
): Promise<Result<readonly string[], StoreError>> => {
  const [index, ...others] = indexesFor(keys, range);
  if (index === undefined) return err(noStatusIndex);
  const lists = [index, keys.records, keys.index];
  if (range.status !== undefined) lists.push(keys.deadlines, ...others);
  return reply(call, lists, argumentsOf(range, parts));
};

/** Reads the parts of the sessions of a page that is known. */
export const readFoundPage = async (
  call: Call,
  keys: TenantKeys,
  { total, edge, members }: FoundPage,
  parts: string,
): Promise<Result<readonly string[], StoreError>> => {
  const known = [String(total), edge];
  if (members.length === 0 || parts === 'ids') return ok([...known, ...members]);
  return reply(
    call,
    [keys.index, keys.records, keys.index],
    ['known', ...known, parts, ...members],
  );
};
