import { err, ok, type Result } from 'neverthrow';
import {
  type SearchTooLarge,
  type StoreError,
  type TooLarge,
  tooLarge,
} from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { PageRange, RecordPage } from '../../src/store/session-store.js';
import { unescapeName } from '../shared/escape-name.js';
import { isInRange, isSearch, labelsIn } from '../shared/session-search.js';
import type { Call } from './connection.js';
import { cursorOf, type FoundPage, findPage, searchSessions } from './find-page.js';
import { labelKey, type TenantKeys } from './keyspace.js';
import { type ReadRecord, readSessions, readWhole, sessionIn } from './read-sessions.js';

type Read = Promise<Result<readonly ReadRecord[], StoreError | TooLarge>>;

/** What the script that finds a page reads of its sessions. */
const partOf = ({ historyLimit }: PageRange): '' | 'size' | 'record' => {
  if (historyLimit === undefined) return 'size';
  return historyLimit === 0 ? 'record' : '';
};

/** The sessions of a page with what the script has read of them. */
const sessionsOf = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  { idKeys, parts, bytes }: FoundPage,
): Read => {
  const part = isSearch(range) ? '' : partOf(range);
  if (part === '') return readSessions(call, keys, idKeys, range);
  if (part === 'size') return readWhole(call, keys, idKeys, bytes, range);
  const refusal = tooLarge(range, bytes, idKeys.length);
  if (refusal !== undefined) return err(refusal);
  return ok(idKeys.map((idKey, at) => sessionIn(idKey, parts[at] ?? '', '', 0)));
};

/** Whether a session still belongs to a page. It may have been changed or replaced since. */
const belongsTo = ({ head: { createdAt }, state }: SessionRecord, range: PageRange): boolean => {
  const { createdAfter = '', createdBefore } = range;
  if (createdAt <= createdAfter) return false;
  return (createdBefore === undefined || createdAt < createdBefore) && isInRange(state, range);
};

/**
 * Reads a page: a script finds the sessions, with their records if no histories are asked for, and
 * another command reads the others, each session in one piece.
 */
export const readPage = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
): Promise<Result<RecordPage, StoreError | SearchTooLarge | TooLarge>> => {
  const lists = labelsIn(range).map((label) => labelKey(keys, ...label));
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
  // The sessions that were changed or removed after the script.
  const gone = idKeys.length - records.length - unreadable.length;
  return ok({ records, total: total - gone, unreadable, ...(nextCursor && { nextCursor }) });
};
