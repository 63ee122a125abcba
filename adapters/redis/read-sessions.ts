import { setImmediate as othersTurn } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import {
  type CorruptRecord,
  type StoreError,
  type TooLarge,
  tooLarge,
} from '../../src/session/errors.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type { ReadSize } from '../../src/store/session-store.js';
import { unescapeName } from '../shared/escape-name.js';
import { NEVER } from '../shared/never.js';
import { type Call, script } from './connection.js';
import { type Answer, type Failure, toStoreError, unreadable } from './failure.js';
import { charactersIn, decodeLines, isUnconfirmed, linesIn } from './journal.js';
import type { SessionKeys, TenantKeys } from './keyspace.js';
import { type DecodedRecord, decodeRecord, type RecordHeader } from './record.js';
import readLua from './scripts/read.lua';

const readScript = script(readLua);

/** The result of reading a session: `missing` if there is none, `corrupt` if it cannot be read. */
type ReadRecord = SessionRecord | 'missing' | 'corrupt';

/** A session to read, with its size: 0 bytes without a record, -1 if it cannot be read. */
export interface SizedSession {
  readonly member: string;
  readonly recordBytes: number;
  readonly historyBytes: number;
  /** The record, if it was read together with the size. */
  readonly record?: string | undefined;
}

/**
 * The texts of a session, as MGET returns them: without the journal for a session without its
 * history.
 */
interface Texts {
  readonly member: string;
  readonly record: string | null;
  readonly journal?: string | null;
}

type Reading<T> = Promise<Result<T, Failure | TooLarge>>;

/** Bytes of a history to read for each requested entry. If they are too few, more are read. */
const ENTRY_BYTES = 512;

/** Bytes to parse before the event loop gets a turn. */
const TURN_BYTES = 1024 * 1024;

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

const sessionOf = (
  { header, head, state }: DecodedRecord,
  history: readonly HistoryEntry[],
): SessionRecord => {
  const {
    sequence,
    entries: historyCount,
    version: historyVersion,
    bytes: historyPosition,
  } = header;
  return { head, state, history, historyCount, sequence, historyVersion, historyPosition };
};

/** A history in its journal; `undefined` if it cannot be read. */
const historyIn = (journal: string, header: RecordHeader): readonly HistoryEntry[] | undefined => {
  const lines = linesIn(journal, header);
  const history = lines === undefined ? undefined : decodeLines(lines);
  if (history?.length === header.entries) return history;
  // A test double has counted characters.
  const others = charactersIn(journal, header);
  const found = others === undefined ? undefined : decodeLines(others);
  return found?.length === header.entries ? found : undefined;
};

/** What a session is whose record is missing. */
const withoutRecord = (journal: string | null | undefined): ReadRecord =>
  typeof journal === 'string' && !isUnconfirmed(journal) ? 'corrupt' : 'missing';

/** The session in its texts. */
const sessionIn = (member: string, text: string | null, journal?: string | null): ReadRecord => {
  if (text === null) return withoutRecord(journal);
  const record = decodeRecord(unescapeName(member), text);
  if (record === undefined) return 'corrupt';
  if (journal === undefined) return sessionOf(record, []);
  const history = historyIn(journal ?? '', record.header);
  return history === undefined ? 'corrupt' : sessionOf(record, history);
};

/** The state of a session, or of what is left of a removed one. */
export const findState = async (call: Call, keys: SessionKeys): Answer<StateRecord | undefined> => {
  const text = await call.readCommand((client) => client.get(keys.record));
  if (text.isErr()) return err(toStoreError(keys)(text.error));
  if (text.value === null) return ok(undefined);
  const decoded = decodeRecord(keys.id, text.value);
  return decoded === undefined ? err(unreadable(keys)) : ok(decoded.state);
};

/** The session in its record, without its history. */
export const sessionInRecord = (
  keys: SessionKeys,
  text: string,
): Result<SessionRecord, CorruptRecord> => {
  const record = decodeRecord(keys.id, text);
  return record === undefined ? err(unreadable(keys)) : ok(sessionOf(record, []));
};

/** One session, or `undefined`. */
export const findSession = async (
  call: Call,
  keys: SessionKeys,
  size: ReadSize,
): Promise<Result<SessionRecord | undefined, StoreError | TooLarge>> => {
  const read = await findOne(call, keys, size);
  if (read.isErr()) return err('type' in read.error ? read.error : toStoreError(keys)(read.error));
  if (read.value === 'corrupt') return err(unreadable(keys));
  return ok(read.value === 'missing' ? undefined : read.value);
};

/** A part of a session with one command or script, if it is not too large. */
const findOne = async (call: Call, keys: SessionKeys, size: ReadSize): Reading<ReadRecord> => {
  const { historyLimit = Number.POSITIVE_INFINITY, maxBytes } = size;
  const isWhole = historyLimit === Number.POSITIVE_INFINITY;
  if (isWhole && maxBytes === undefined) return findWhole(call, keys);
  for (let bytes = bytesFor(historyLimit); ; bytes *= 4) {
    const tail = await readTail(call, keys, keys.member, { bytes, limit: historyLimit, maxBytes });
    if (tail.isErr() || tail.value !== 'cut')
      return tail.map((found) => (found === 'cut' ? 'corrupt' : found));
  }
};

/** Reads a session and its whole history with one command. */
const findWhole = async (
  call: Call,
  { record, journal, member }: SessionKeys,
): Promise<Result<ReadRecord, Failure>> => {
  const texts = await call.readCommand((client) => client.mget(record, journal));
  if (texts.isErr()) return err(texts.error);
  const [recordText = null, journalText = null] = texts.value;
  const found = sessionIn(member, recordText, journalText);
  if (found !== 'missing') return ok(found);
  // MGET returns nil for a key of a wrong type, as for a missing key.
  const checked = await call.readCommand((client) => client.get(record));
  return checked.map(() => found);
};

/**
 * Sessions of one tenant, in the given order, if they are not too large. Their bytes are those of
 * their sizes, unless they are given.
 */
export const readSessions = async (
  call: Call,
  keys: TenantKeys,
  sessions: readonly SizedSession[],
  size: ReadSize,
  known?: number,
): Reading<readonly ReadRecord[]> => {
  const { historyLimit, maxBytes } = size;
  if (historyLimit !== undefined && historyLimit > 0)
    return readLatest(call, keys, sessions, historyLimit, maxBytes);
  const isLight = historyLimit === 0;
  const bytes = known ?? sum(sessions.map((each) => sizeOf(each, isLight)));
  const refusal = tooLarge({ maxBytes }, bytes, sessions.length);
  return refusal === undefined ? loadSessions(call, keys, sessions, isLight) : err(refusal);
};

/** Sessions of one tenant, in the given order, whole or without their histories. */
const loadSessions = async (
  call: Call,
  keys: TenantKeys,
  sessions: readonly SizedSession[],
  isLight: boolean,
): Promise<Result<readonly ReadRecord[], Failure>> => {
  if (sessions.length === 0) return ok([]);
  const texts = await readTexts(call, keys, sessions, isLight);
  if (texts.isErr()) return err(texts.error);
  const records: ReadRecord[] = [];
  let left = TURN_BYTES;
  for (const { member, record, journal } of texts.value) {
    if (left <= 0) {
      await othersTurn();
      left = TURN_BYTES;
    }
    const found = sessionIn(member, record, journal);
    records.push(found === 'missing' ? await confirmed(call, keys, member) : found);
    left -= (record?.length ?? 0) + (journal?.length ?? 0);
  }
  return ok(records);
};

const sizeOf = ({ recordBytes, historyBytes }: SizedSession, isLight: boolean): number =>
  Math.max(0, recordBytes) + (isLight ? 0 : Math.max(0, historyBytes));

/** Reads the records of sessions, unless they were read before, and their journals. */
const readTexts = async (
  call: Call,
  { records, journals }: TenantKeys,
  sessions: readonly SizedSession[],
  isLight: boolean,
): Promise<Result<readonly Texts[], Failure>> => {
  if (isLight && sessions.every(({ record }) => record !== undefined)) {
    return ok(sessions.map(({ member, record = null }) => ({ member, record })));
  }
  const names = sessions.flatMap(({ member }) =>
    isLight ? [records + member] : [records + member, journals + member],
  );
  const read = await call.readCommand((client) => client.mget(...names));
  return read.map((texts) =>
    sessions.map(({ member }, at): Texts => {
      if (isLight) return { member, record: texts[at] ?? null };
      return { member, record: texts[2 * at] ?? null, journal: texts[2 * at + 1] ?? null };
    }),
  );
};

/**
 * MGET returns nil for a key of a wrong type, as for a missing key: that is a session that cannot
 * be read.
 */
const confirmed = async (
  call: Call,
  { records }: TenantKeys,
  member: string,
): Promise<ReadRecord> => {
  const text = await call.readCommand((client) => client.get(records + member));
  return text.isErr() && text.error.code === 'WRONGTYPE' ? 'corrupt' : 'missing';
};

/** Bytes of a history to read for its latest entries, or for all of them. */
const bytesFor = (limit: number): number => (limit === 0 ? 0 : (limit + 1) * ENTRY_BYTES);

/**
 * The latest entries of each session: reads the end of each history, and more of it if that has too
 * few entries.
 */
const readLatest = async (
  call: Call,
  keys: TenantKeys,
  sessions: readonly SizedSession[],
  limit: number,
  maxBytes: number | undefined,
): Reading<readonly ReadRecord[]> => {
  const found = new Map<SizedSession, ReadRecord>();
  let held = sum(sessions.map((session) => sizeOf(session, true)));
  for (let bytes = bytesFor(limit); found.size < sessions.length; bytes *= 4) {
    const open = sessions.filter((session) => !found.has(session));
    const wanted =
      held + sum(open.map(({ historyBytes }) => Math.min(bytes, Math.max(0, historyBytes))));
    const refusal = tooLarge({ maxBytes }, wanted, sessions.length);
    if (refusal !== undefined) return err(refusal);
    const tails = await Promise.all(
      open.map(({ member }) => readTail(call, keys, member, { bytes, limit })),
    );
    for (const [at, tail] of tails.entries()) {
      const session = open[at];
      if (tail.isErr()) return err(tail.error);
      if (tail.value === 'cut' || session === undefined) continue;
      found.set(session, tail.value);
      held += Math.min(bytes, Math.max(0, session.historyBytes));
    }
  }
  return ok(sessions.map((session) => found.get(session) ?? 'corrupt'));
};

/** The end of a history to read. */
interface Tail {
  /** Number of bytes; `Infinity` for all. */
  readonly bytes: number;
  /** Maximum number of entries; 0 for none. */
  readonly limit: number;
  readonly maxBytes?: number | undefined;
}

/** One session with its latest entries; `cut` if there are too few bytes for all of them. */
const readTail = async (
  call: Call,
  keys: TenantKeys,
  member: string,
  { bytes, limit, maxBytes }: Tail,
): Reading<ReadRecord | 'cut'> => {
  const size = String(Math.min(bytes, NEVER));
  const args =
    maxBytes === undefined ? ['', '', size] : ['', '', size, '', '', '', String(maxBytes)];
  const reply = await call.readScript(
    readScript,
    [keys.records + member, keys.journals + member],
    args,
  );
  if (reply.isErr()) return reply.error.code === 'WRONGTYPE' ? ok('corrupt') : err(reply.error);
  if (reply.value === 'missing') return ok('missing');
  const [text, tail, , from]: readonly unknown[] = Array.isArray(reply.value) ? reply.value : [];
  const refusal = text === 'too_large' ? tooLarge({ maxBytes }, Number(tail), 1) : undefined;
  if (refusal !== undefined) return err(refusal);
  if (typeof text !== 'string' || typeof tail !== 'string') return ok('corrupt');
  return ok(sessionInTail(unescapeName(member), text, tail, Number(from), { bytes, limit }));
};

/** The session in a record and the end of its history, which begins at an offset. */
const sessionInTail = (
  id: string,
  text: string,
  tail: string,
  from: number,
  { bytes, limit }: Tail,
): ReadRecord | 'cut' => {
  const record = decodeRecord(id, text);
  if (record === undefined) return 'corrupt';
  if (limit === 0) return sessionOf(record, []);
  const { pieces, entries: count, shown } = record.header;
  const isCut = tail !== '' && !pieces.some(([start]) => start === from);
  const entries = decodeLines(isCut ? tail.slice(tail.indexOf('\n') + 1) : tail);
  const isWhole = shown <= bytes;
  if (entries === undefined || (isWhole && entries.length !== count)) return 'corrupt';
  if (entries.length >= Math.min(limit, count)) return sessionOf(record, entries.slice(-limit));
  return isWhole ? 'corrupt' : 'cut';
};
