import { setImmediate as othersTurn } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import { unescapeName } from '../../src/store/escape-name.js';
import type { Admit, ReadSize } from '../../src/store/session-store.js';
import { type Call, script } from './connection.js';
import { type Failure, toStoreError, unreadable } from './failure.js';
import { type DecodedJournal, decodeJournal, decodeTail } from './journal-text.js';
import type { SessionKeys, TenantKeys } from './keyspace.js';
import { decodeHead, decodeState } from './record-text.js';

/**
 * Reads the size of one session.
 *
 * KEYS  record, journal
 * Returns {bytes of its record, bytes of its journal}.
 */
const sizeScript = script(`
return {redis.call('STRLEN', KEYS[1]), redis.call('STRLEN', KEYS[2])}
`);

/**
 * Reads a session and the end of its journal at one moment.
 *
 * KEYS  record, journal
 * ARGV  number of bytes of the journal
 * Returns {the record or '', the end of the journal, the length of the journal}.
 */
const tailScript = script(`
local length = redis.call('STRLEN', KEYS[2])
local tail = length > 0 and redis.call('GETRANGE', KEYS[2], -math.min(length, tonumber(ARGV[1])), -1) or ''
return {redis.call('GET', KEYS[1]) or '', tail, length}
`);

/** The result of reading a session: `missing` if there is none, `corrupt` if it cannot be read. */
type ReadRecord = SessionRecord | 'missing' | 'corrupt';

/** A session to read, with its size: -1 bytes for a key of a wrong type. */
export interface SizedSession {
  readonly member: string;
  readonly recordBytes: number;
  readonly journalBytes: number;
  /** Number of appends and entries in the journal, if the page script has counted them; `NaN` if it cannot. */
  readonly counts?: { readonly appends: number; readonly entries: number } | undefined;
  /** The record, if the page script has read it: at the same moment as the counts. */
  readonly record?: string | undefined;
}

type Text = string | null | undefined;
type Reading<T, E> = Promise<Result<T, { readonly refusal: E } | { readonly failure: Failure }>>;

/** Bytes of a journal to read for each wanted entry; if they are too few, more are read. */
const ENTRY_BYTES = 512;

/** Number of bytes to decode before other work gets a turn. */
const TURN_BYTES = 1024 * 1024;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The session made of a record and the contents of its journal. */
const recordOf = (member: string, record: Text, journal: DecodedJournal | undefined): ReadRecord => {
  if (typeof record !== 'string' || record === '') return journal?.count === 0 ? 'missing' : 'corrupt';
  const decoded = decodeState(record);
  if (decoded === 'removed') return 'missing';
  const head = decodeHead(unescapeName(member), record);
  if (decoded === undefined || head === undefined || journal === undefined) return 'corrupt';
  const { state, birth, changes, lastWrite } = decoded;
  const { entries, appends, count } = journal;
  // The last state change knows the number of appends before it.
  if (lastWrite !== undefined && lastWrite.sequence - changes > appends) return 'corrupt';
  return { head, state, history: entries, historyCount: count, sequence: changes + appends, birth };
};

/** One session, or `undefined`. */
export const findSession = async <E>(
  call: Call,
  session: SessionKeys,
  size: ReadSize,
  admit: Admit<E> | undefined,
): Promise<Result<SessionRecord | undefined, StoreError | E>> => {
  const { record, journal, member } = session;
  const isSized = admit !== undefined || size.historyLimit !== undefined;
  const sizes = isSized ? await call.readScript(sizeScript, [record, journal], []) : ok([0, 0]);
  if (sizes.isErr()) return err(toStoreError(session)(sizes.error));
  const [recordBytes = 0, journalBytes = 0] = Array.isArray(sizes.value) ? sizes.value.map(Number) : [];
  const read = await readSessions(call, session, [{ member, recordBytes, journalBytes }], size, admit);
  if (read.isErr())
    return err('refusal' in read.error ? read.error.refusal : toStoreError(session)(read.error.failure));
  const [found = 'missing'] = read.value;
  if (found === 'corrupt') return err(unreadable(session));
  // For a key of a wrong type MGET returns nil, as for a missing key.
  if (!isSized && (found === 'missing' || (found.sequence > 1 && found.historyCount === 0))) {
    const checked = await call.readScript(sizeScript, [record, journal], []);
    if (checked.isErr()) return err(toStoreError(session)(checked.error));
  }
  return ok(found === 'missing' ? undefined : found);
};

/** Sessions of one tenant, in the given order, limited to those that are asked for and admitted. */
export const readSessions = async <E>(
  call: Call,
  keys: TenantKeys,
  sessions: readonly SizedSession[],
  { historyLimit }: ReadSize,
  admit: Admit<E> | undefined,
): Reading<readonly ReadRecord[], E> => {
  if (sessions.length === 0) return ok([]);
  if (historyLimit === 0 && sessions.every(({ counts }) => counts !== undefined)) {
    return readWithoutHistories(call, keys, sessions, admit);
  }
  if (historyLimit !== undefined) return readLatest(call, keys, sessions, historyLimit, admit);
  const refusal = admit?.(sum(sessions.map((each) => each.recordBytes + each.journalBytes)), sessions.length);
  if (refusal !== undefined) return err({ refusal });
  const names = sessions.flatMap(({ member }) => [keys.records + member, keys.journals + member]);
  const texts = await call.readCommand((client) => client.mget(...names));
  if (texts.isErr()) return err({ failure: texts.error });
  const records: ReadRecord[] = [];
  let left = TURN_BYTES;
  for (const [at, { member, recordBytes, journalBytes }] of sessions.entries()) {
    const isCorrupt = recordBytes < 0 || journalBytes < 0;
    const journal = decodeJournal(texts.value[2 * at + 1] ?? '');
    records.push(isCorrupt ? 'corrupt' : recordOf(member, texts.value[2 * at], journal));
    left -= recordBytes + journalBytes;
    if (left > 0) continue;
    await othersTurn();
    left = TURN_BYTES;
  }
  return ok(records);
};

/** Sessions with a count of entries but without the entries: at most their records are read. */
const readWithoutHistories = async <E>(
  call: Call,
  keys: TenantKeys,
  sessions: readonly SizedSession[],
  admit: Admit<E> | undefined,
): Reading<readonly ReadRecord[], E> => {
  const refusal = admit?.(sum(sessions.map(({ recordBytes }) => recordBytes)), sessions.length);
  if (refusal !== undefined) return err({ refusal });
  const isRead = sessions.every(({ record }) => record !== undefined);
  const names = sessions.map(({ member }) => keys.records + member);
  const texts = isRead
    ? ok(sessions.map(({ record }) => record))
    : await call.readCommand((client) => client.mget(...names));
  if (texts.isErr()) return err({ failure: texts.error });
  const records: ReadRecord[] = [];
  for (const [at, session] of sessions.entries()) {
    const { member } = session;
    const record = recordOf(member, texts.value[at], countedJournal(session));
    if (isRead || record !== 'corrupt') {
      records.push(record);
      continue;
    }
    // The record was read after its journal was counted: it may have changed in between.
    const again = await readTail(call, keys, member, ENTRY_BYTES, 0);
    if (again.isErr()) return err({ failure: again.error });
    records.push(again.value === 'cut' ? 'corrupt' : again.value);
  }
  return ok(records);
};

/** A journal by its counts alone; `undefined` if they are not known. */
const countedJournal = ({ counts }: SizedSession): DecodedJournal | undefined =>
  counts === undefined || Number.isNaN(counts.appends + counts.entries)
    ? undefined
    : { entries: [], marks: 0, appends: counts.appends, count: counts.entries };

/** The latest entries of each session: reads the end of each journal, and more of it if that has too few entries. */
const readLatest = async <E>(
  call: Call,
  keys: TenantKeys,
  sessions: readonly SizedSession[],
  limit: number,
  admit: Admit<E> | undefined,
): Reading<readonly ReadRecord[], E> => {
  const found = new Map<SizedSession, ReadRecord>();
  let held = sum(sessions.map((session) => session.recordBytes));
  for (let bytes = (limit + 1) * ENTRY_BYTES; found.size < sessions.length; bytes *= 4) {
    const open = sessions.filter((session) => !found.has(session));
    const wanted = sum(open.map(({ journalBytes }) => Math.min(bytes, journalBytes)));
    const refusal = admit?.(held + wanted, sessions.length);
    if (refusal !== undefined) return err({ refusal });
    const tails = await Promise.all(open.map(({ member }) => readTail(call, keys, member, bytes, limit)));
    for (const [at, tail] of tails.entries()) {
      const session = open[at];
      if (tail.isErr()) return err({ failure: tail.error });
      if (tail.value === 'cut' || session === undefined) continue;
      found.set(session, tail.value);
      held += Math.min(bytes, session.journalBytes);
    }
  }
  return ok(sessions.map((session) => found.get(session) ?? 'corrupt'));
};

/** One session with its latest entries; `cut` if the number of bytes is too small for all of them. */
const readTail = async (
  call: Call,
  keys: TenantKeys,
  member: string,
  bytes: number,
  limit: number,
): Promise<Result<ReadRecord | 'cut', Failure>> => {
  const reply = await call.readScript(tailScript, [keys.records + member, keys.journals + member], [String(bytes)]);
  if (reply.isErr()) return reply.error.code === 'WRONGTYPE' ? ok('corrupt') : err(reply.error);
  const [record, tail, length]: readonly unknown[] = Array.isArray(reply.value) ? reply.value : [];
  if (typeof record !== 'string' || typeof tail !== 'string') return ok('corrupt');
  const isWhole = Number(length) <= bytes;
  const journal = isWhole ? decodeJournal(tail) : decodeTail(tail);
  if (!isWhole && journal !== undefined && journal.entries.length < Math.min(limit, journal.count)) return ok('cut');
  const latest = journal && { ...journal, entries: limit === 0 ? [] : journal.entries.slice(-limit) };
  return ok(recordOf(member, record, latest));
};
