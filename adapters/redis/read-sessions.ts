import { setImmediate as othersTurn } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type { Admit, ReadSize } from '../../src/store/session-store.js';
import { unescapeName } from '../shared/escape-name.js';
import { NEVER } from '../shared/never.js';
import type { Call } from './connection.js';
import { type Answer, type Failure, toStoreError, unreadable } from './failure.js';
import { charactersIn, decodeLines, isUnconfirmed, jsonOfLines, linesIn } from './journal.js';
import type { SessionKeys, TenantKeys } from './keyspace.js';
import { type DecodedRecord, decodeRecord, type RecordText, recordsIn, recordTextIn } from './record.js';
import { readScript } from './scripts.js';

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

type Reading<T, E> = Promise<Result<T, { readonly refusal: E } | { readonly failure: Failure }>>;

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

/** The sessions in texts. All JSON is parsed at once. */
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
export const findSession = async <E>(
  call: Call,
  keys: SessionKeys,
  { historyLimit }: ReadSize,
  admit: Admit<E> | undefined,
): Promise<Result<SessionRecord | undefined, StoreError | E>> => {
  const read = await findOne(call, keys, historyLimit, admit);
  if (read.isErr()) return err('refusal' in read.error ? read.error.refusal : toStoreError(keys)(read.error.failure));
  if (read.value === 'corrupt') return err(unreadable(keys));
  return ok(read.value === 'missing' ? undefined : read.value);
};

const findOne = async <E>(
  call: Call,
  keys: SessionKeys,
  historyLimit: number | undefined,
  admit: Admit<E> | undefined,
): Reading<ReadRecord, E> => {
  if (historyLimit === undefined && admit === undefined) return findWhole(call, keys);
  const sized = await findSize(call, keys, historyLimit, admit);
  if (sized.isErr()) return err({ failure: sized.error });
  // There may be a journal without a record.
  if (sized.value === undefined) return findWhole(call, keys);
  const read = await readSessions(call, keys, [sized.value], { historyLimit }, admit);
  return read.map(([found = 'missing']) => found);
};

/** A session with its size if that matters, before its history is read; `undefined` if there is none. */
const findSize = async <E>(
  call: Call,
  { record, member }: SessionKeys,
  historyLimit: number | undefined,
  admit: Admit<E> | undefined,
): Promise<Result<SizedSession | undefined, Failure>> => {
  if (admit === undefined && historyLimit !== 0) return ok({ member, recordBytes: 0, historyBytes: 0 });
  const text = await call.readCommand((client) => client.get(record));
  return text.map((found) => {
    if (found === null) return undefined;
    const historyBytes = recordTextIn(found)?.header.shown ?? 0;
    return { member, record: found, recordBytes: found.length, historyBytes };
  });
};

/** Reads a session and its whole history with one command. */
const findWhole = async (
  call: Call,
  { record, journal, member }: SessionKeys,
): Promise<Result<ReadRecord, { readonly failure: Failure }>> => {
  const texts = await call.readCommand((client) => client.mget(record, journal));
  if (texts.isErr()) return err({ failure: texts.error });
  const [recordText = null, journalText = null] = texts.value;
  const [found = 'missing'] = sessionsIn([{ member, record: recordText, journal: journalText }]);
  if (found !== 'missing') return ok(found);
  // MGET returns nil for a key of a wrong type, as for a missing key.
  const checked = await call.readCommand((client) => client.get(record));
  return checked.map(() => found).mapErr((failure) => ({ failure }));
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
  const texts = await readTexts(call, keys, sessions, isLight);
  if (texts.isErr()) return err({ failure: texts.error });
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

/** The latest entries of each session: reads the end of each history, and more of it if that has too few entries. */
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
    const wanted = sum(open.map(({ historyBytes }) => Math.min(bytes, Math.max(0, historyBytes))));
    const refusal = admit?.(held + wanted, sessions.length);
    if (refusal !== undefined) return err({ refusal });
    const tails = await Promise.all(open.map(({ member }) => readTail(call, keys, member, bytes, limit)));
    for (const [at, tail] of tails.entries()) {
      const session = open[at];
      if (tail.isErr()) return err({ failure: tail.error });
      if (tail.value === 'cut' || session === undefined) continue;
      found.set(session, tail.value);
      held += Math.min(bytes, Math.max(0, session.historyBytes));
    }
  }
  return ok(sessions.map((session) => found.get(session) ?? 'corrupt'));
};

/** One session with its latest entries; `cut` if `bytes` is too small for all of them. */
const readTail = async (
  call: Call,
  keys: TenantKeys,
  member: string,
  bytes: number,
  limit: number,
): Promise<Result<ReadRecord | 'cut', Failure>> => {
  const args = ['', '', String(Math.min(bytes, NEVER))];
  const reply = await call.readScript(readScript, [keys.records + member, keys.journals + member], args);
  if (reply.isErr()) return reply.error.code === 'WRONGTYPE' ? ok('corrupt') : err(reply.error);
  if (reply.value === 'missing') return ok('missing');
  const [text, tail, , from]: readonly unknown[] = Array.isArray(reply.value) ? reply.value : [];
  if (typeof text !== 'string' || typeof tail !== 'string') return ok('corrupt');
  const record = decodeRecord(unescapeName(member), text);
  if (record === undefined) return ok('corrupt');
  const { pieces, entries: count, shown } = record.header;
  const isCut = tail !== '' && !pieces.some(([start]) => start === Number(from));
  const entries = decodeLines(isCut ? tail.slice(tail.indexOf('\n') + 1) : tail);
  const isWhole = shown <= bytes;
  if (entries === undefined || (isWhole && entries.length !== count)) return ok('corrupt');
  if (entries.length >= Math.min(limit, count)) return ok(sessionOf(record, entries.slice(-limit)));
  return ok(isWhole ? 'corrupt' : 'cut');
};
