import { setImmediate as othersTurn } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import { type StoreError, type TooLarge, tooLarge } from '../../src/session/errors.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { ReadSize } from '../../src/store/session-store.js';
import { unescapeName } from '../shared/escape-name.js';
import { NEVER } from '../shared/never.js';
import { type Call, script } from './connection.js';
import { type Failure, toStoreError, unreadable } from './failure.js';
import { decodeJournal, decodeLines } from './journal.js';
import type { SessionKeys, TenantKeys } from './keyspace.js';
import { type DecodedRecord, decodeRecord, isRecord, numberField } from './record.js';
import { pieces } from './scripts/spans.js';

/**
 * Reads a session and the last bytes of its history, consistently.
 *
 * KEYS  1 record, 2 journal
 * ARGV  1 number of bytes of the history, 2 number of entries after which it may stop, 3 maximum size or nothing
 * Returns {the record or '', the last bytes of the history, 1 if they begin within a line or 0}. The last element is
 * missing if there is no history; the last two are missing if the journal is too short or damaged. Returns the size
 * alone if it exceeds the maximum.
 */
const tailScript = script(`${pieces('KEYS[2]')}
local record = redis.call('GET', KEYS[1]) or ''
if not ${isRecord('record')} then return {record, ''} end
local length, span = ${numberField('record', 'bytes')}, ${numberField('record', 'span')}
local wanted = #record + math.min(tonumber(ARGV[1]), ${numberField('record', 'shown')})
if wanted > (tonumber(ARGV[3] or '') or wanted) then return wanted end
if length == 0 or ARGV[1] == '0' then return {record, ''} end
if redis.call('STRLEN', KEYS[2]) < length then return {record} end
if span > length then return {record} end
local size = tonumber(ARGV[1])
if span == 0 then
  return {record, redis.call('GETRANGE', KEYS[2], math.max(0, length - size), length - 1), length > size and 1 or 0}
end
local found, isCut = piecesBefore(span, length, 0, length, size, tonumber(ARGV[2]))
if isDamaged then return {record} end
return {record, textOf(found), isCut and 1 or 0}
`);

/** The result of reading a session: `missing` if there is none, `corrupt` if it cannot be read. */
type ReadRecord = SessionRecord | 'missing' | 'corrupt';

/** The same, or `rewound` if the history is only a part of the journal. */
type WholeRecord = ReadRecord | 'rewound';

/** A session to read, with its size: 0 bytes without a record, -1 if it cannot be read. */
export interface SizedSession {
  readonly member: string;
  readonly recordBytes: number;
  readonly journalBytes: number;
  /** Whether the history is only a part of the journal; `journalBytes` is then the size of the history. */
  readonly isRewound: boolean;
  /** The record, if it was read together with the size. */
  readonly record?: string | undefined;
}

type Text = string | null | undefined;
type Reading<T> = Promise<Result<T, Failure | TooLarge>>;

/** Bytes of a journal to read for each requested entry. If they are too few, more are read. */
const ENTRY_BYTES = 512;

/** Bytes to decode before the event loop gets a turn. */
const TURN_BYTES = 1024 * 1024;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const recordOf = (
  { head, state, sequence, incarnation, entries }: DecodedRecord,
  history: readonly HistoryEntry[],
): SessionRecord => ({ head, state, history, historyCount: entries, sequence, incarnation });

/** The session in a record, without its history. */
const lightSessionIn = (member: string, text: Text): ReadRecord => {
  if (typeof text !== 'string' || text === '') return 'missing';
  const record = decodeRecord(unescapeName(member), text);
  return record === undefined ? 'corrupt' : recordOf(record, []);
};

/** The session in a record and its whole journal; without the journal, without its history. */
const sessionIn = (member: string, text: Text, journal?: Text): WholeRecord => {
  if (journal === undefined) return lightSessionIn(member, text);
  if (typeof text !== 'string' || text === '') return typeof journal === 'string' ? 'corrupt' : 'missing';
  const record = decodeRecord(unescapeName(member), text);
  if (record === undefined) return 'corrupt';
  if (record.span > 0) return 'rewound';
  const history = decodeJournal(journal ?? '', record);
  return history === undefined ? 'corrupt' : recordOf(record, history);
};

/** One session, or `undefined`. */
export const findSession = async (
  call: Call,
  session: SessionKeys,
  size: ReadSize,
): Promise<Result<SessionRecord | undefined, StoreError | TooLarge>> => {
  const { historyLimit, maxBytes } = size;
  const isUnbounded = historyLimit === undefined && maxBytes === undefined;
  const read = isUnbounded ? await findWhole(call, session) : await findPart(call, session, size);
  return read.andThen((found) => {
    if (found === 'corrupt') return err(unreadable(session));
    return ok(found === 'missing' ? undefined : found);
  });
};

const errorOf =
  (session: SessionKeys) =>
  (error: Failure | TooLarge): StoreError | TooLarge =>
    'type' in error ? error : toStoreError(session)(error);

/** Reads a session and its whole history with one command, unless the history was rewound. */
const findWhole = async (call: Call, session: SessionKeys): Promise<Result<ReadRecord, StoreError | TooLarge>> => {
  const { record, journal, member } = session;
  const texts = await call.readCommand((client) => client.mget(record, journal));
  if (texts.isErr()) return err(toStoreError(session)(texts.error));
  const [recordText, journalText = null] = texts.value;
  const found = sessionIn(member, recordText, journalText);
  if (found === 'rewound') {
    const whole = await readTail(call, session, member, NEVER, NEVER);
    return whole.map((read) => (read === 'cut' ? 'corrupt' : read)).mapErr(errorOf(session));
  }
  if (found !== 'missing') return ok(found);
  // MGET returns nil for a key of a wrong type, as for a missing key.
  const checked = await call.readCommand((client) => client.get(record));
  return checked.map(() => found).mapErr(toStoreError(session));
};

/** Reads a session, or its latest entries, if it is not too large. */
const findPart = async (
  call: Call,
  session: SessionKeys,
  { historyLimit = NEVER, maxBytes }: ReadSize,
): Promise<Result<ReadRecord, StoreError | TooLarge>> => {
  const first = historyLimit === 0 ? 0 : (historyLimit + 1) * ENTRY_BYTES;
  for (let bytes = Math.min(first, NEVER); ; bytes *= 4) {
    const read = await readTail(call, session, session.member, bytes, historyLimit, maxBytes);
    if (read.isErr()) return err(errorOf(session)(read.error));
    // There may be a journal without a record.
    if (read.value === 'missing') return findWhole(call, session);
    if (read.value !== 'cut') return ok(read.value);
  }
};

/** Sessions of one tenant, in the given order, if they are not too large. */
export const readSessions = async (
  call: Call,
  keys: TenantKeys,
  sessions: readonly SizedSession[],
  size: ReadSize,
): Reading<readonly ReadRecord[]> => {
  if (sessions.length === 0) return ok([]);
  const { historyLimit } = size;
  if (historyLimit !== undefined && historyLimit > 0) return readLatest(call, keys, sessions, historyLimit, size);
  const isLight = historyLimit === 0;
  const refusal = tooLarge(size, sum(sessions.map((each) => sizeOf(each, isLight))), sessions.length);
  if (refusal !== undefined) return err(refusal);
  if (isLight && sessions.every(({ record }) => record !== undefined)) {
    return ok(sessions.map(({ member, record }) => lightSessionIn(member, record)));
  }
  const tailOf = (session: SizedSession) => readTail(call, keys, session.member, NEVER, NEVER);
  const rewound = isLight ? [] : sessions.filter(({ isRewound }) => isRewound);
  const tails = new Map(rewound.map((session) => [session, tailOf(session)]));
  const names = sessions.flatMap((session) => {
    const { member } = session;
    if (tails.has(session)) return [];
    return isLight ? [keys.records + member] : [keys.records + member, keys.journals + member];
  });
  const none: readonly Text[] = [];
  const texts = names.length === 0 ? ok(none) : await call.readCommand((client) => client.mget(...names));
  if (texts.isErr()) return err(texts.error);
  const records: ReadRecord[] = [];
  let [next, left] = [0, TURN_BYTES];
  for (const session of sessions) {
    const { member, recordBytes } = session;
    let found: WholeRecord = 'rewound';
    if (!tails.has(session)) {
      const [text, journal] = isLight ? [texts.value[next]] : [texts.value[next], texts.value[next + 1] ?? null];
      next += isLight ? 1 : 2;
      found = recordBytes < 0 ? 'corrupt' : sessionIn(member, text, journal);
    }
    if (found === 'rewound') {
      const tail = await (tails.get(session) ?? tailOf(session));
      if (tail.isErr()) return err(tail.error);
      found = tail.value === 'cut' ? 'corrupt' : tail.value;
    }
    records.push(found);
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
const readLatest = async (
  call: Call,
  keys: TenantKeys,
  sessions: readonly SizedSession[],
  limit: number,
  size: ReadSize,
): Reading<readonly ReadRecord[]> => {
  const found = new Map<SizedSession, ReadRecord>();
  let held = sum(sessions.map((session) => sizeOf(session, true)));
  for (let bytes = (limit + 1) * ENTRY_BYTES; found.size < sessions.length; bytes *= 4) {
    const open = sessions.filter((session) => !found.has(session));
    const wanted = sum(open.map(({ journalBytes }) => Math.min(bytes, Math.max(0, journalBytes))));
    const refusal = tooLarge(size, held + wanted, sessions.length);
    if (refusal !== undefined) return err(refusal);
    const tails = await Promise.all(open.map(({ member }) => readTail(call, keys, member, bytes, limit)));
    for (const [at, tail] of tails.entries()) {
      const session = open[at];
      if (tail.isErr()) return err(tail.error);
      if (tail.value === 'cut' || session === undefined) continue;
      found.set(session, tail.value);
      held += Math.min(bytes, Math.max(0, session.journalBytes));
    }
  }
  return ok(sessions.map((session) => found.get(session) ?? 'corrupt'));
};

/**
 * One session with its latest entries; `cut` if `bytes` is too small for all of them. The error if it is larger than
 * `maxBytes`.
 */
const readTail = async (
  call: Call,
  keys: TenantKeys,
  member: string,
  bytes: number,
  limit: number,
  maxBytes?: number,
): Reading<ReadRecord | 'cut'> => {
  const args = [String(bytes), String(limit)];
  if (maxBytes !== undefined) args.push(String(maxBytes));
  const reply = await call.readScript(tailScript, [keys.records + member, keys.journals + member], args);
  if (reply.isErr()) return reply.error.code === 'WRONGTYPE' ? ok('corrupt') : err(reply.error);
  const refusal = Array.isArray(reply.value) ? undefined : tooLarge({ maxBytes }, Number(reply.value), 1);
  if (refusal !== undefined) return err(refusal);
  const [text, tail, isCut]: readonly unknown[] = Array.isArray(reply.value) ? reply.value : [];
  if (typeof text !== 'string' || typeof tail !== 'string') return ok('corrupt');
  if (text === '') return ok('missing');
  const record = decodeRecord(unescapeName(member), text);
  if (record === undefined) return ok('corrupt');
  const entries = decodeLines(Number(isCut) === 1 ? tail.slice(tail.indexOf('\n') + 1) : tail);
  const isWhole = record.shown <= bytes && (record.span === 0 || record.entries <= limit);
  if (entries === undefined || (isWhole && entries.length !== record.entries)) return ok('corrupt');
  const wanted = Math.min(limit, record.entries);
  if (entries.length >= wanted) return ok(recordOf(record, entries.slice(-limit)));
  return ok(record.shown <= bytes ? 'corrupt' : 'cut');
};
