import { err, ok, type Result } from 'neverthrow';
import type { StoreError, TooLarge, TooManyLabelled } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { ListCursor, PageRange, RecordPage } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../shared/escape-name.js';
import { isInRange, isLabelSearch, labelsIn } from '../shared/label-search.js';
import { type Call, script } from './connection.js';
import { noStatusIndex, tooManyEnded } from './failure.js';
import { labelKey, type TenantKeys } from './keyspace.js';
import { readSessions, type SizedSession } from './read-sessions.js';
import pageLua from './scripts/page.lua';
import { searchLabels, timeText } from './search-labels.js';
import { letterOf } from './status-letters.js';

const pageScript = script(pageLua);

/** Maximum bytes of records that a page without histories gets in one round trip. More are read by a second one. */
const MAX_RECORD_BYTES = 64 * 1024;

/** What a script returns of the sessions: the maximum bytes of records, or only what the next step needs. */
const partsOf = ({ historyLimit, maxBytes }: PageRange): string => {
  if (historyLimit === 0) return String(MAX_RECORD_BYTES);
  if (maxBytes === undefined) return 'ids';
  return historyLimit === undefined ? 'size' : 'sizes';
};

/**
 * The arguments of the script. Those after the fourth are left out if none is used, because each costs the server time.
 */
const argumentsOf = (range: PageRange, parts: string): readonly string[] => {
  const { offset, limit, order = 'newest', createdAfter, createdBefore, cursor, status } = range;
  const args = [order, String(offset), String(limit), parts];
  if ((createdAfter ?? createdBefore ?? cursor ?? status) === undefined) return args;
  args.push(timeText(createdAfter), timeText(createdBefore));
  args.push(timeText(cursor?.at), cursor === undefined ? '' : escapeName(cursor.id));
  if (status !== undefined) args.push(letterOf(status.status), String(status.now));
  return args;
};

/** Number of fields of a session in the reply of the script. */
const FIELDS = 4;

/** The size in a reply of the script: 0 for '', and -1 if the record cannot be read. */
const sizeIn = (text: string): number => (/^\d*$/.test(text) ? Number(text) : -1);

/** The sessions of a page, each with what the script has returned of it. */
const listedIn = (fields: readonly string[], parts: string): readonly SizedSession[] => {
  if (parts === 'ids' || parts === 'size') return fields.map((member) => ({ member, recordBytes: 0, historyBytes: 0 }));
  const listed: SizedSession[] = [];
  for (let at = 0; at < fields.length; at += FIELDS) {
    listed.push({
      member: fields[at] ?? '',
      recordBytes: sizeIn(fields[at + 1] ?? ''),
      historyBytes: sizeIn(fields[at + 2] ?? ''),
      record: fields[at + 3] || undefined,
    });
  }
  return listed;
};

/**
 * The position of a session; `undefined` if the time in the index is invalid because of changes from outside, which
 * `repair` corrects.
 */
const positionOf = (member: string, ms: number): ListCursor | undefined => {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? undefined : { id: unescapeName(member), at: time.toISOString() };
};

/** The index of a range; `undefined` if sessions are not listed by status. */
const indexOf = (keys: TenantKeys, range: PageRange): string | undefined => {
  const [label] = labelsIn(range);
  if (label !== undefined) return labelKey(keys, ...label);
  return range.status === undefined ? keys.index : keys.byStatus[range.status.status];
};

/** Finds the sessions of a page by a search, and reads their sizes. */
const search = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  parts: string,
): Promise<Result<unknown, StoreError | TooManyLabelled>> => {
  const page = await searchLabels(call, keys, range);
  if (page.isErr()) return err(page.error);
  const { total, members, edge } = page.value;
  if (members.length === 0) return ok([total, edge]);
  if (parts === 'ids') return ok([total, edge, ...members]);
  const args = ['known', String(total), edge, parts, ...members];
  const lists = [keys.index, keys.records, keys.index];
  return (await call.readScript(pageScript, lists, args)).mapErr(({ error }) => error);
};

/** Runs the script that finds the sessions of a page. */
const findMembers = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  parts: string,
): Promise<Result<unknown, StoreError | TooManyLabelled>> => {
  if (isLabelSearch(range)) return search(call, keys, range, parts);
  const index = indexOf(keys, range);
  if (index === undefined) return err(noStatusIndex);
  const lists = [index, keys.records, keys.index];
  if (range.status !== undefined) lists.push(keys.deadlines);
  return (await call.readScript(pageScript, lists, argumentsOf(range, parts))).mapErr(({ error }) => error);
};

/** Reads a page: a script finds the ids and sizes of the sessions, and the sessions are read if they are not too large. */
export const readPage = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
): Promise<Result<RecordPage, StoreError | TooManyLabelled | TooLarge>> => {
  const parts = partsOf(range);
  const reply = await findMembers(call, keys, range, parts);
  if (reply.isErr()) return err(reply.error);
  if (reply.value === 'ended') return err(tooManyEnded);
  const [total, edge = '', ...fields] = Array.isArray(reply.value) ? reply.value.map(String) : [];
  const bytes = parts === 'size' ? Number(fields.shift() ?? 0) : undefined;
  const rising = listedIn(fields, parts);
  const listed = range.order === 'oldest' ? rising : rising.toReversed();
  const read = await readSessions(call, keys, listed, range, bytes);
  if (read.isErr()) return err('type' in read.error ? read.error : read.error.error);
  const found: SessionRecord[] = [];
  const unreadable: string[] = [];
  for (const [at, record] of read.value.entries()) {
    if (record === 'corrupt') unreadable.push(unescapeName(listed[at]?.member ?? ''));
    else if (record !== 'missing' && isInRange(record.state, range)) found.push(record);
  }
  // The sessions that were changed or removed after the script.
  const gone = listed.length - found.length - unreadable.length;
  const last = listed.at(-1);
  const nextCursor = edge === '' || last === undefined ? undefined : positionOf(last.member, Number(edge));
  const page = { records: found, total: Number(total) - gone, unreadable };
  return ok(nextCursor === undefined ? page : { ...page, nextCursor });
};
