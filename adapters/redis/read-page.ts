import { err, ok, type Result } from 'neverthrow';
import type { SearchTooLarge, StoreError, TooLarge } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { PageRange, RecordPage } from '../../src/store/session-store.js';
import { unescapeName } from '../shared/escape-name.js';
import { isInRange, isSearch } from '../shared/session-search.js';
import type { Call } from './connection.js';
import { findPage, positionOf, readFoundPage } from './find-page.js';
import type { TenantKeys } from './keyspace.js';
import { readSessions, type SizedSession } from './read-sessions.js';
import { searchSessions } from './search-sessions.js';

/**
 * Maximum bytes of records that a page without histories gets in one round trip. More are read by a
 * second one.
 */
const MAX_RECORD_BYTES = 64 * 1024;

/**
 * What a script returns of the sessions: the maximum bytes of records, or only what the next step
 * needs.
 */
const partsOf = ({ historyLimit, maxBytes }: PageRange): string => {
  if (historyLimit === 0) return String(MAX_RECORD_BYTES);
  if (maxBytes === undefined) return 'ids';
  return historyLimit === undefined ? 'size' : 'sizes';
};

/** Number of fields of a session in the reply of the script. */
const FIELDS = 4;

/** The size in a reply of the script: 0 for '', and -1 if the record cannot be read. */
const sizeIn = (text: string): number => (/^\d*$/.test(text) ? Number(text) : -1);

/** The sessions of a page, each with what the script has returned of it. */
const listedIn = (fields: readonly string[], parts: string): readonly SizedSession[] => {
  if (parts === 'ids' || parts === 'size')
    return fields.map((member) => ({ member, recordBytes: 0, historyBytes: 0 }));
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

/** The total of a page, its edge, and the sessions of the page with their parts. */
const findSessions = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  parts: string,
): Promise<Result<readonly string[], StoreError | SearchTooLarge>> => {
  if (!isSearch(range)) return findPage(call, keys, range, parts);
  const found = await searchSessions(call, keys, range);
  return found.isErr() ? err(found.error) : readFoundPage(call, keys, found.value, parts);
};

/**
 * Reads a page: a script finds the ids and sizes of the sessions, and the sessions are read if they
 * are not too large.
 */
export const readPage = async (
  call: Call,
  keys: TenantKeys,
  range: PageRange,
): Promise<Result<RecordPage, StoreError | SearchTooLarge | TooLarge>> => {
  const parts = partsOf(range);
  const reply = await findSessions(call, keys, range, parts);
  if (reply.isErr()) return err(reply.error);
  const [total, edge = '', ...fields] = reply.value;
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
  const nextCursor =
    edge === '' || last === undefined ? undefined : positionOf(last.member, Number(edge));
  const page = { records: found, total: Number(total) - gone, unreadable };
  return ok(nextCursor === undefined ? page : { ...page, nextCursor });
};
