import { err, ok, type Result } from 'neverthrow';
import { misconfigured, type StoreError, storeUnavailable } from '../../src/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import { stateAt } from '../../src/session/timeline.js';
import { escapeName, unescapeName } from '../../src/store/escape-name.js';
import type { Admit, ListPlace, PageRange, RecordPage, StatusAt } from '../../src/store/session-store.js';
import type { Call } from './connection.js';
import { labelKey, type TenantKeys } from './keyspace.js';
import { pageScript, RECORD_SEPARATOR } from './page-script.js';
import { readNoted } from './read-due.js';
import { readSessions, type SizedSession } from './read-sessions.js';

/** Number of deadline entries that one script examines. */
const NOTED_STEP = 1000;

/** Maximum number of deadline entries that one list by status examines. */
const MAX_NOTED = 10_000;

/**
 * Maximum number of bytes of records that the page script returns, before `admit` is asked. More are read after it has
 * accepted them.
 */
const MAX_RECORD_BYTES = 64 * 1024;

const noStatuses = misconfigured('RedisSessionStore: lists by status need the option statusIndex');

const tooManyNoted = storeUnavailable(
  'too many sessions have ended by the clock and are not swept; run a sweeper',
  'not_applied',
);

/** Corrections to an index by status, which does not know the sessions that the clock has ended. */
interface Corrections {
  /** Members of the index that do not count. */
  readonly without: readonly string[];
  /** Creation time and member of each session that counts but is not in the index. */
  readonly added: readonly string[];
}

const noCorrections: Corrections = { without: [], added: [] };

const timeText = (createdAt: string | undefined): string =>
  createdAt === undefined ? '' : String(Date.parse(createdAt));

const argumentsOf = (
  { offset, limit, order = 'newest', createdAfter, createdBefore, after, historyLimit }: PageRange,
  { without, added }: Corrections,
): readonly string[] => [
  ...[order, timeText(createdAfter), timeText(createdBefore)],
  ...[timeText(after?.createdAt), after === undefined ? '' : escapeName(after.id)],
  ...[String(offset), String(limit), historyLimit === 0 ? String(MAX_RECORD_BYTES) : '', String(without.length)],
  ...without,
  ...added,
];

/** A session in an index. */
interface Listed extends SizedSession {
  readonly createdMs: number;
}

/** The sessions in the fields of a reply, each with its record if the script has returned all records. */
const listedIn = (fields: readonly string[], isLight: boolean, records: readonly string[]): Listed[] => {
  const width = isLight ? 5 : 4;
  const isRead = records.length * width === fields.length;
  const listed: Listed[] = [];
  // Not by slices: destructuring an array takes longer than all the rest of this loop.
  for (let at = 0; at + width <= fields.length; at += width) {
    const member = fields[at] ?? '';
    const createdMs = Number(fields[at + 1]);
    const recordBytes = Number(fields[at + 2]);
    if (!isLight) {
      listed.push({ member, createdMs, recordBytes, journalBytes: Number(fields[at + 3]) });
      continue;
    }
    const [appends, entries] = [Number.parseInt(fields[at + 3] ?? '', 16), Number.parseInt(fields[at + 4] ?? '', 16)];
    const record = isRead ? records[listed.length] : undefined;
    listed.push({ member, createdMs, recordBytes, journalBytes: 0, counts: { appends, entries }, record });
  }
  return listed;
};

/**
 * The place of a session; `undefined` if the index has an invalid time because of outside changes: `repair` corrects
 * it.
 */
const placeOf = ({ member, createdMs }: Listed): ListPlace | undefined => {
  const time = new Date(createdMs);
  return Number.isNaN(time.getTime()) ? undefined : { id: unescapeName(member), createdAt: time.toISOString() };
};

/** The index of a range; `undefined` if sessions are not listed by status. */
const indexOf = (keys: TenantKeys, { label, status }: PageRange): string | undefined => {
  if (label !== undefined) return labelKey(keys, label.name, label.value);
  return status === undefined ? keys.index : keys.byStatus[status.status];
};

/** Reads a page: a script finds the ids and sizes of the sessions, then those that fit are read. */
export const readPage = async <E>(
  call: Call,
  keys: TenantKeys,
  range: PageRange,
  admit: Admit<E> | undefined,
): Promise<Result<RecordPage, StoreError | E>> => {
  const { label, status } = range;
  const index = indexOf(keys, range);
  if (index === undefined) return err(noStatuses);
  const corrections = status === undefined ? ok(noCorrections) : await correct(call, keys, status);
  if (corrections.isErr()) return err(corrections.error);
  const args = argumentsOf(range, corrections.value);
  const reply = await call.readScript(pageScript, [index, keys.records, keys.journals], args);
  if (reply.isErr()) return err(reply.error.error);
  const [header = '', ...texts] = String(reply.value).split(RECORD_SEPARATOR);
  const [total, hasMore, ...fields] = header.split(' ');
  const rising = listedIn(fields, range.historyLimit === 0, texts);
  const listed = range.order === 'oldest' ? rising : rising.toReversed();
  const read = await readSessions(call, keys, listed, range, admit);
  if (read.isErr()) return err('refusal' in read.error ? read.error.refusal : read.error.failure.error);
  const records: SessionRecord[] = [];
  const unreadable: string[] = [];
  for (const [at, record] of read.value.entries()) {
    if (record === 'corrupt') unreadable.push(unescapeName(listed[at]?.member ?? ''));
    else if (record !== 'missing' && hasStatus(record, status) && hasLabel(record, label)) records.push(record);
  }
  // Index entries that do not fit their session: the session has just changed, or a crash has left them.
  const stale = listed.length - records.length - unreadable.length;
  const last = listed.at(-1);
  const next = hasMore === '1' && last !== undefined ? placeOf(last) : undefined;
  return ok({ records, total: Number(total) - stale, unreadable, ...(next === undefined ? {} : { next }) });
};

const correct = async (
  call: Call,
  keys: TenantKeys,
  { status, now }: StatusAt,
): Promise<Result<Corrections, StoreError>> => {
  const without: string[] = [];
  const added: string[] = [];
  for (let offset = 0; offset < MAX_NOTED; offset += NOTED_STEP) {
    const noted = await readNoted(call, keys, now, offset, NOTED_STEP);
    if (noted.isErr()) return err(noted.error.error);
    for (const { member, fields } of noted.value) {
      if (fields === undefined || fields === 'removed') continue;
      if (fields.status === 'TERMINATED' || fields.deadline > now) continue;
      if (status === 'TERMINATED') added.push(String(fields.createdMs), member);
      else if (fields.status === status) without.push(member);
    }
    if (noted.value.length < NOTED_STEP) return ok({ without, added });
  }
  return err(tooManyNoted);
};

const hasLabel = ({ head: { labels = {} } }: SessionRecord, label: PageRange['label']): boolean =>
  label === undefined || labels[label.name] === label.value;

const hasStatus = ({ state }: SessionRecord, status: StatusAt | undefined): boolean =>
  status === undefined || stateAt(state, status.now).status === status.status;
