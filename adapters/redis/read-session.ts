import { setImmediate as othersTurn } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import { unescapeName } from '../../src/store/escape-name.js';
import type { Admit, ReadSize } from '../../src/store/session-store.js';
import { type Call, script } from './connection.js';
import { type Failure, toStoreError, unreadable } from './failure.js';
import { decodeJournal, decodeLines } from './journal.js';
import type { SessionKeys, TenantKeys } from './keyspace.js';
import { type DecodedRecord, decodeRecord, isRecord, numberField } from './record.js';

/**
 * Reads a session and the end of its journal at one moment.
 *
 * KEYS  1 record, 2 journal
 * ARGV  1 number of bytes of the journal
 * Returns {the record or '', the end of the journal}, without the second if the journal is too short.
 */
const tailScript = script(`
local record = redis.call('GET', KEYS[1]) or ''
if not ${isRecord('record')} then return {record, ''} end
local length = ${numberField('record', 'bytes')}
if length == 0 then return {record, ''} end
if redis.call('STRLEN', KEYS[2]) < length then return {record} end
return {record, redis.call('GETRANGE', KEYS[2], math.max(0, length - ARGV[1]), length - 1)}
`);

/** The result of reading a session: `missing` if there is none, `corrupt` if it cannot be read. */
type ReadRecord = SessionRecord | 'missing' | 'corrupt';

/** A session to read, with its size: 0 bytes without a record, -1 if it cannot be read. */
export interface SizedSession {
  readonly member: string;
  readonly recordBytes: number;
  readonly journalBytes: number;
  /** The record, if it was read together with the size. */
  readonly record?: string | undefined;
}

type Text = string | null | undefined;
type Reading<T, E> = Promise<Result<T, { readonly refusal: E } | { readonly failure: Failure }>>;

/** Bytes of a journal to read for each wanted entry; if they are too few, more are read. */
const ENTRY_BYTES = 512;

/** Number of bytes to decode before other work gets a turn. */
const TURN_BYTES = 1024 * 1024;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const recordOf = (
  { head, state, sequence, birth, entries }: DecodedRecord,
  history: readonly HistoryEntry[],
): SessionRecord => ({ head, state, history, historyCount: entries, sequence, birth });

/** The session in a record, with its history unless only the record was read. */
const sessionIn = (member: string, text: Text, journal?: Text): ReadRecord => {
  if (typeof text !== 'string' || text === '') return typeof journal === 'string' ? 'corrupt' : 'missing';
  const record = decodeRecord(unescapeName(member), text);
  if (record === undefined) return 'corrupt';
  const history = journal === undefined ? [] : decodeJournal(journal ?? '', record);
  return history === undefined ? 'corrupt' : recordOf(record, history);
};

/** One session, or `undefined`. */
export const findSession = async <E>(
  call: Call,
  session: SessionKeys,
  { historyLimit }: ReadSize,
  admit: Admit<E> | undefined,
): Promise<Result<SessionRecord | undefined, StoreError | E>> => {
  const { record, journal, member } = session;
  let found: ReadRecord;
  if (historyLimit === undefined && admit === undefined) {
    const texts = await call.readCommand((client) => client.mget(record, journal));
    if (texts.isErr()) return err(toStoreError(session)(texts.error));
    found = sessionIn(member, texts.value[0], texts.value[1] ?? null);
    // For a key of a wrong type MGET returns nil, as for a missing key.
    if (found === 'missing') {
      const checked = await call.readCommand((client) => client.get(record));
      if (checked.isErr()) return err(toStoreError(session)(checked.error));
    }
  } else {
    const text = await call.readCommand((client) => client.get(record));
    if (text.isErr()) return err(toStoreError(session)(text.error));
    // A journal may be there without its record.
    if (text.value === null) return findSession<never>(call, session, {}, undefined);
    const decoded = decodeRecord(session.id, text.value);
    if (decoded === undefined) return err(unreadable(session));
    const recordBytes = text.value.length;
    if (historyLimit === 0) {
      const refusal = admit?.(recordBytes, 1);
      return refusal === undefined ? ok(recordOf(decoded, [])) : err(refusal);
    }
    const sized = { member, recordBytes, journalBytes: decoded.bytes };
    const read = await readSessions(call, session, [sized], { historyLimit }, admit);
    if (read.isErr())
      return err('refusal' in read.error ? read.error.refusal : toStoreError(session)(read.error.failure));
    [found = 'missing'] = read.value;
  }
  if (found === 'corrupt') return err(unreadable(session));
  return ok(found === 'missing' ? undefined : found);
};

/** Sessions of one tenant, in the given order, if they are admitted. */
export const readSessions = async <E>(
  call: Call,
  keys: TenantKeys,
  sessions: readonly SizedSession[],
  { historyLimit }: ReadSize,
  admit: Admit<E> | undefined,
): Reading<readonly ReadRecord[], E> => {
  if (sessions.length === 0) return ok([]);
  if (historyLimit !== undefined && historyLimit > 0) return readLatest(call, keys, sessions, historyLimit, admit);
  const isLight = historyLimit === 0;
  const refusal = admit?.(sum(sessions.map((each) => sizeOf(each, isLight))), sessions.length);
  if (refusal !== undefined) return err({ refusal });
  if (isLight && sessions.every(({ record }) => record !== undefined)) {
    return ok(sessions.map(({ member, record }) => sessionIn(member, record)));
  }
  const names = sessions.flatMap(({ member }) =>
    isLight ? [keys.records + member] : [keys.records + member, keys.journals + member],
  );
  const texts = await call.readCommand((client) => client.mget(...names));
  if (texts.isErr()) return err({ failure: texts.error });
  const records: ReadRecord[] = [];
  let left = TURN_BYTES;
  for (const [at, session] of sessions.entries()) {
    const { member, recordBytes } = session;
    const [text, journal] = isLight ? [texts.value[at]] : [texts.value[2 * at], texts.value[2 * at + 1] ?? null];
    records.push(recordBytes < 0 ? 'corrupt' : sessionIn(member, text, journal));
    left -= sizeOf(session, isLight);
    if (left > 0) continue;
    await othersTurn();
    left = TURN_BYTES;
  }
  return ok(records);
};

const sizeOf = ({ recordBytes, journalBytes }: SizedSession, isLight: boolean): number =>
  Math.max(0, recordBytes) + (isLight ? 0 : Math.max(0, journalBytes));

/** The latest entries of each session: reads the end of each journal, and more of it if that has too few entries. */
const readLatest = async <E>(
  call: Call,
  keys: TenantKeys,
  sessions: readonly SizedSession[],
  limit: number,
  admit: Admit<E> | undefined,
): Reading<readonly ReadRecord[], E> => {
  const found = new Map<SizedSession, ReadRecord>();
  let held = sum(sessions.map((session) => sizeOf(session, true)));
  for (let bytes = (limit + 1) * ENTRY_BYTES; found.size < sessions.length; bytes *= 4) {
    const open = sessions.filter((session) => !found.has(session));
    const wanted = sum(open.map(({ journalBytes }) => Math.min(bytes, Math.max(0, journalBytes))));
    const refusal = admit?.(held + wanted, sessions.length);
    if (refusal !== undefined) return err({ refusal });
    const tails = await Promise.all(open.map(({ member }) => readTail(call, keys, member, bytes, limit)));
    for (const [at, tail] of tails.entries()) {
      const session = open[at];
      if (tail.isErr()) return err({ failure: tail.error });
      if (tail.value === 'cut' || session === undefined) continue;
      found.set(session, tail.value);
      held += Math.min(bytes, Math.max(0, session.journalBytes));
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
  const [text, tail]: readonly unknown[] = Array.isArray(reply.value) ? reply.value : [];
  if (typeof text !== 'string' || typeof tail !== 'string') return ok('corrupt');
  if (text === '') return ok('missing');
  const record = decodeRecord(unescapeName(member), text);
  if (record === undefined) return ok('corrupt');
  if (record.bytes <= bytes) return ok(sessionIn(member, text, tail)).map((whole) => latestOf(whole, limit));
  // The tail may begin within a line.
  const entries = decodeLines(tail.slice(tail.indexOf('\n') + 1));
  if (entries === undefined) return ok('corrupt');
  return ok(entries.length < Math.min(limit, record.entries) ? 'cut' : recordOf(record, entries.slice(-limit)));
};

const latestOf = (read: ReadRecord, limit: number): ReadRecord =>
  typeof read === 'string' ? read : { ...read, history: read.history.slice(-limit) };
