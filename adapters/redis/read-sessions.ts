import { err, ok, type Result } from 'neverthrow';
import { type StoreError, type TooLarge, tooLarge } from '../../src/session/errors.js';
import { inLaterTurn } from '../../src/session/in-later-turn.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type { ReadSize } from '../../src/store/session-store.js';
import { unescapeName } from '../shared/escape-name.js';
import { finite, NEVER } from '../shared/never.js';
import { type Call, type Reply, script } from './connection.js';
import { type Answer, toStoreError, unknownReply, unreadable } from './failure.js';
import type { SessionKeys, TenantKeys } from './keyspace.js';
import {
  type DecodedRecord,
  decodeLines,
  decodeRecord,
  isRemoved,
  type RecordHeader,
} from './record.js';
import { asCount, asList, asListOf, asTextOrNull, type ReplyForm } from './reply-form.js';
import readLua from './scripts/read.lua';

const readScript = script(readLua);

/** The result of reading a session: `missing` if there is none, `corrupt` if it cannot be read. */
export type ReadRecord = SessionRecord | 'missing' | 'corrupt';

/** Characters to parse before the event loop gets a turn. */
const TURN_LENGTH = 1024 * 1024;

/** Gives the event loop a turn each time that much text was parsed. */
const turnTaker = () => {
  let parsed = 0;
  return (length: number): Promise<void> | undefined => {
    parsed += length;
    if (parsed <= TURN_LENGTH) return undefined;
    parsed = 0;
    return new Promise(inLaterTurn);
  };
};

/** What the script returns of a session. */
type Part =
  | 'missing'
  | 'corrupt'
  | 'invalid_position'
  | { readonly text: string; readonly lines: string; readonly start: number };

const asPart: ReplyForm<Part> = (reply) => {
  if (reply === 'missing' || reply === 'corrupt' || reply === 'invalid_position') return reply;
  const [text, lines, start] = asList(reply) ?? [];
  const place = asCount(start);
  if (typeof text !== 'string' || typeof lines !== 'string' || place === undefined)
    return undefined;
  return { text, lines, start: place };
};

/** The parts of so many sessions, or the bytes of all of them if they are too large. */
const asParts =
  (count: number): ReplyForm<readonly Part[] | number> =>
  (reply) => {
    const [first, bytes] = asList(reply) ?? [];
    if (first === 'too_large') return asCount(bytes);
    const parts = asListOf(asPart)(reply);
    return parts?.length === count ? parts : undefined;
  };

/** Runs the script for sessions with these keys of records and journals. */
export const readParts = (
  call: Call,
  keys: readonly string[],
  args: readonly string[],
): Reply<readonly Part[] | number> =>
  call.readScript(readScript, keys, args, asParts(keys.length / 2));

const sessionOf = (
  { header, head, state }: DecodedRecord,
  history: readonly HistoryEntry[],
): SessionRecord => ({
  head,
  state,
  history,
  historyCount: header.entries,
  sequence: header.sequence,
  historyVersion: header.version,
  historyPosition: header.bytes,
});

/** The session in its record, '' for none, and the lines of its latest entries. */
export const sessionIn = (
  idKey: string,
  text: string,
  lines: string,
  historyLimit: number,
): ReadRecord => {
  if (text === '' || isRemoved(text)) return 'missing';
  const record = decodeRecord(unescapeName(idKey), text);
  const history = decodeLines(lines);
  if (record === undefined || history === undefined) return 'corrupt';
  const isWhole = history.length === Math.min(historyLimit, record.header.entries);
  return isWhole ? sessionOf(record, history) : 'corrupt';
};

/** Sessions of one tenant with their latest entries, in the given order, if not too large. */
export const readSessions = async (
  call: Call,
  { records, journals }: TenantKeys,
  idKeys: readonly string[],
  { historyLimit = NEVER, maxBytes = NEVER }: ReadSize,
): Promise<Result<readonly ReadRecord[], StoreError | TooLarge>> => {
  if (idKeys.length === 0) return ok([]);
  const limit = finite(historyLimit);
  const names = idKeys.flatMap((idKey) => [records + idKey, journals + idKey]);
  const args = ['before', '', String(limit), String(NEVER), String(finite(maxBytes))];
  const reply = await readParts(call, names, args);
  if (reply.isErr()) return err(reply.error.error);
  const parts = reply.value;
  if (typeof parts === 'number') {
    const refusal = tooLarge({ maxBytes }, parts, idKeys.length);
    return err(refusal ?? unknownReply.error);
  }
  const sessions: ReadRecord[] = [];
  const takeTurn = turnTaker();
  for (const [at, idKey] of idKeys.entries()) {
    const part = parts[at];
    if (typeof part !== 'object') {
      sessions.push(part === 'missing' ? 'missing' : 'corrupt');
      continue;
    }
    sessions.push(sessionIn(idKey, part.text, part.lines, limit));
    await takeTurn(part.text.length + part.lines.length);
  }
  return ok(sessions);
};

/** The lines of the history in a journal; `undefined` if the journal is too short. */
const linesIn = ({ bytes, shown, pieces }: RecordHeader, journal: string): string | undefined => {
  const length = Buffer.byteLength(journal);
  // Without a rewind and without remains of a torn write, the journal is the history.
  if (length === shown) return journal;
  if (length < bytes) return undefined;
  const data = Buffer.from(journal);
  return pieces.map(([from, upto]) => data.toString('utf8', from, upto)).join('');
};

/** A session with its complete history; `undefined` if either is damaged. */
const wholeIn = (idKey: string, text: string, journal: string): SessionRecord | undefined => {
  const record = decodeRecord(unescapeName(idKey), text);
  const lines = record && linesIn(record.header, journal);
  const history = lines === undefined ? undefined : decodeLines(lines);
  if (record === undefined || history?.length !== record.header.entries) return undefined;
  return sessionOf(record, history);
};

/**
 * Complete sessions with one command, so that records and journals belong together, in less than
 * half the time of the script. `undefined` if one of them needs the script, or if they are too
 * large.
 */
const findWhole = async (
  call: Call,
  { records, journals }: TenantKeys,
  idKeys: readonly string[],
  maxBytes = NEVER,
): Promise<readonly SessionRecord[] | undefined> => {
  const names = idKeys.flatMap((idKey) => [records + idKey, journals + idKey]);
  const reply = await call.readCommand((client) => client.mget(...names), asListOf(asTextOrNull));
  const texts = reply.unwrapOr([]);
  const sessions: SessionRecord[] = [];
  const takeTurn = turnTaker();
  let bytes = 0;
  for (const [at, idKey] of idKeys.entries()) {
    const text = texts[2 * at] ?? '';
    const session = wholeIn(idKey, text, texts[2 * at + 1] ?? '');
    bytes += Buffer.byteLength(text) + (session?.historyPosition ?? 0);
    if (session === undefined || bytes > maxBytes) return undefined;
    sessions.push(session);
    await takeTurn(session.historyPosition);
  }
  return sessions;
};

/** Complete sessions whose journals have this many bytes. */
export const readWhole = async (
  call: Call,
  keys: TenantKeys,
  idKeys: readonly string[],
  bytes: number,
  size: ReadSize,
): Promise<Result<readonly ReadRecord[], StoreError | TooLarge>> => {
  if (idKeys.length === 0) return ok([]);
  const isSmall = bytes <= (size.maxBytes ?? NEVER);
  const whole = isSmall ? await findWhole(call, keys, idKeys, size.maxBytes) : undefined;
  return whole === undefined ? readSessions(call, keys, idKeys, size) : ok(whole);
};

/** One session, or `undefined`. */
export const findSession = async (
  call: Call,
  keys: SessionKeys,
  size: ReadSize,
): Promise<Result<SessionRecord | undefined, StoreError | TooLarge>> => {
  const isWhole = (size.historyLimit ?? size.maxBytes) === undefined;
  const whole = isWhole ? await findWhole(call, keys, [keys.idKey]) : undefined;
  if (whole !== undefined) return ok(whole[0]);
  const read = await readSessions(call, keys, [keys.idKey], size);
  return read.andThen(([found = 'missing']) => {
    if (found === 'corrupt') return err(unreadable(keys));
    return ok(found === 'missing' ? undefined : found);
  });
};

/** The state of a session, or of what is left of a removed one. */
export const findState = async (call: Call, keys: SessionKeys): Answer<StateRecord | undefined> => {
  const text = await call.readCommand((client) => client.get(keys.record), asTextOrNull);
  if (text.isErr()) return err(toStoreError(keys, text.error));
  if (text.value === null || isRemoved(text.value)) return ok(undefined);
  const decoded = decodeRecord(keys.id, text.value);
  return decoded === undefined ? err(unreadable(keys)) : ok(decoded.state);
};
