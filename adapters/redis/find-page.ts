import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { ListCursor, PageRange } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../shared/escape-name.js';
import { finite, NEVER } from '../shared/never.js';
import { type Call, script } from './connection.js';
import { noStatusIndex, tooManyEnded } from './failure.js';
import type { TenantKeys } from './keyspace.js';
import { valuesIn } from './read-sessions.js';
import { letterOf } from './record.js';
import pageLua from './scripts/page.lua';

const pageScript = script(pageLua);

/** What the script returns of a session, beside its key. */
type Part = '' | 'record' | 'created' | 'updated';

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
  /** The bytes of the records. */
  readonly bytes: number;
}

/** A creation time as an argument of scripts. */
export const timeText = (createdAt: string | undefined): string =>
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
  return status.anyOf.flatMap((each) => keys.byStatus[each] ?? []);
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
  if (indexes.length === 0) return err(noStatusIndex);
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
  const names = [keys.records, keys.deadlines, ...indexes, ...lists.slice(1)];
  const reply = await call.readScript(pageScript, names, args);
  if (reply.isErr()) return err(reply.error.error);
  if (reply.value === 'ended') return err(tooManyEnded);
  const [total, lastTime = '', bytes, ...texts] = valuesIn(reply.value).map(String);
  const sessions: Found[] = [];
  for (let at = 0; at < texts.length; at += 2)
    sessions.push({ idKey: texts[at] ?? '', part: texts[at + 1] ?? '' });
  return ok({ total: Number(total), sessions, lastTime, bytes: Number(bytes) });
};
