import { setImmediate as othersTurn } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import { type StoreError, type TooLarge, tooLarge } from '../../src/session/errors.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type { ReadSize } from '../../src/store/session-store.js';
import { unescapeName } from '../shared/escape-name.js';
import { NEVER } from '../shared/never.js';
import { type Call, script } from './connection.js';
import { type Answer, type Failure, toStoreError, unreadable } from './failure.js';
import { charactersIn, decodeLines, isUnconfirmed, jsonOfLines, linesIn } from './journal.js';
import type { SessionKeys, TenantKeys } from './keyspace.js';
import { type DecodedRecord, decodeRecord, type RecordText, recordsIn, recordTextIn } from './record.js';
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

/** The texts of a session, as MGET returns them: without the journal for a session without its history. */
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

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const sessionOf = ({ header, head, state }: DecodedRecord, history: readonly HistoryEntry[]): SessionRecord => {
  const { sequence, incarnation, entries } = header;
  return { head, state, history, historyCount: entries, sequence, incarnation };
};

/** A session whose history could not be read as bytes, with a journal that a test double has counted in characters. */
const inCharacters = (id: string, record: RecordText, journal: string): ReadRecord => {
  const lines = charactersIn(journal, record.header);
  const history = lines === undefined ? undefined : decodeLines(lines);
  const [found] = recordsIn([{ id, record, lines: '' }]);
  const isWhole = found !== undefined && history?.length === record.header.entries;
  return isWhole ? sessionOf(found.record, history) : 'corrupt';
};

/** What a session is whose record is missing. */
const withoutRecord = (journal: string | null | undefined): ReadRecord =>
  typeof journal === 'string' && !isUnconfirmed(journal) ? 'corrupt' : 'missing';

/** The sessions in texts. */
const sessionsIn = (texts: readonly Texts[]): readonly ReadRecord[] => {
  const found: ReadRecord[] = texts.map(({ record, journal }) =>
    record === null ? withoutRecord(journal) : 'corrupt',
  );
  const readable = texts.flatMap(({ member, record: text, journal }, at) => {
    const record = text === null ? undefined : recordTextIn(text);
    if (record === undefined) return [];
    const lines = journal === undefined ? '' : linesIn(journal ?? '', record.header);
    const json = lines === undefined ? '' : (jsonOfLines(lines) ?? '');
    return [{ at, id: unescapeName(member), record, lines: json, journal }];
  });
  for (const [at, parsed] of recordsIn(readable).entries()) {
    const text = readable[at];
    if (text === undefined) continue;
    const { id, record, journal } = text;
    const isWhole = journal === undefined || parsed?.history.length === record.header.entries;
    if (parsed !== undefined && isWhole) found[text.at] = sessionOf(parsed.record, parsed.history);
    else if (typeof journal === 'string') found[text.at] = inCharacters(id, record, journal);
  }
  return found;
};

/** The state of a session, or of what is left of a removed one. */
export const findState = async (call: Call, keys: SessionKeys): Answer<StateRecord | undefined> => {
  const text = await call.readCommand((client) => client.get(keys.record));
  if (text.isErr()) return err(toStoreError(keys)(text.error));
  if (text.value === null) return ok(undefined);
  const decoded = decodeRecord(keys.id, text.value);
  return decoded === undefined ? err(unreadable(keys)) : ok(decoded.state);
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
    if (tail.isErr() || tail.value !== 'cut') return tail.map((found) => (found === 'cut' ? 'corrupt' : found));
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
  const [found = 'missing'] = sessionsIn([{ member, record: recordText, journal: journalText }]);
  if (found !== 'missing') return ok(found);
  // MGET returns nil for a key of a wrong type, as for a missing key.
  const checked = await call.readCommand((client) => client.get(record));
  return checked.map(() => found);
};

/** Sessions of one tenant, in the given order, if they are not too large. */
export const readSessions = async (
  call: Call,
  keys: TenantKeys,
  sessions: readonly SizedSession[],
  size: ReadSize,
): Reading<readonly ReadRecord[]> => {
  const { historyLimit, maxBytes } = size;
  if (historyLimit !== undefined && historyLimit > 0) return readLatest(call, keys, sessions, historyLimit, maxBytes);
  const isLight = historyLimit === 0;
  const bytes = sum(sessions.map((each) => sizeOf(each, isLight)));
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
  for (const turn of turnsOf(texts.value)) {
    if (records.length > 0) await othersTurn();
    records.push(...sessionsIn(turn));
  }
  return ok(await Promise.all(records.map((record, at) => confirmed(call, keys, record, sessions[at]))));
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

/** The texts in groups, between which the event loop gets a turn. */
const turnsOf = (texts: readonly Texts[]): readonly (readonly Texts[])[] => {
  const turns: Texts[][] = [];
  let left = 0;
  for (const text of texts) {
    const turn = left > 0 ? turns.at(-1) : undefined;
    if (turn === undefined) {
      turns.push([text]);
      left = TURN_BYTES;
    } else turn.push(text);
    left -= (text.record?.length ?? 0) + (text.journal?.length ?? 0);
  }
  return turns;
};

/** MGET returns nil for a key of a wrong type, as for a missing key: that is a session that cannot be read. */
const confirmed = async (
  call: Call,
  { records }: TenantKeys,
  record: ReadRecord,
  session: SizedSession | undefined,
): Promise<ReadRecord> => {
  if (record !== 'missing' || session === undefined) return record;
  const text = await call.readCommand((client) => client.get(records + session.member));
  return text.isErr() && text.error.code === 'WRONGTYPE' ? 'corrupt' : record;
};

/** Bytes of a history to read for its latest entries, or for all of them. */
const bytesFor = (limit: number): number => (limit === 0 ? 0 : (limit + 1) * ENTRY_BYTES);

/** The latest entries of each session: reads the end of each history, and more of it if that has too few entries. */
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
    const wanted = held + sum(open.map(({ historyBytes }) => Math.min(bytes, Math.max(0, historyBytes))));
    const refusal = tooLarge({ maxBytes }, wanted, sessions.length);
    if (refusal !== undefined) return err(refusal);
    const tails = await Promise.all(open.map(({ member }) => readTail(call, keys, member, { bytes, limit })));
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
  const args = maxBytes === undefined ? ['', '', size] : ['', '', size, '', '', '', String(maxBytes)];
  const reply = await call.readScript(readScript, [keys.records + member, keys.journals + member], args);
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
