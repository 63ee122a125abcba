import { err, ok, type Result } from 'neverthrow';
import { type StoreError, type TooLarge, tooLarge } from '../../src/session/errors.js';
import { inLaterTurn } from '../../src/session/in-later-turn.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type { EntriesOutcome, HistorySlice, ReadSize } from '../../src/store/session-store.js';
import { unescapeName } from '../stored/escape-name.js';
import { finite, NEVER } from '../stored/infinite-times.js';
import { type Call, type Reply, scriptOf } from './connection.js';
import { type Answer, toStoreError, unknownReply, unreadable } from './failure.js';
import type { SessionKeys, TenantKeys } from './keyspace.js';
import {
  decodeHeader,
  decodeLines,
  decodePlaced,
  decodeRecord,
  isRemoved,
  type RecordHeader,
} from './record.js';
import { asCount, asList, asListOf, asTextOrNull, type ReplyForm } from './reply-form.js';
import fieldsLua from './scripts/fields.lua';
import readLua from './scripts/read.lua';
import recordLua from './scripts/record.lua';

const readScript = scriptOf(fieldsLua, recordLua, readLua);

export type ReadRecord = SessionRecord | 'missing' | 'corrupt';

/** Characters to parse before the event loop gets a turn. */
const TURN_LENGTH = 1024 * 1024;

const turnTaker = () => {
  let parsed = 0;
  return (length: number): Promise<void> | undefined => {
    parsed += length;
    if (parsed <= TURN_LENGTH) return undefined;
    parsed = 0;
    return new Promise(inLaterTurn);
  };
};

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

/** The script returns only the total size of sessions that are too large. */
const asParts =
  (count: number): ReplyForm<readonly Part[] | number> =>
  (reply) => {
    const [first, bytes] = asList(reply) ?? [];
    if (first === 'too_large') return asCount(bytes);
    const parts = asListOf(asPart)(reply);
    return parts?.length === count ? parts : undefined;
  };

const readParts = (
  call: Call,
  keys: readonly string[],
  args: readonly string[],
): Reply<readonly Part[] | number> =>
  call.readScript(readScript, keys, args, asParts(keys.length / 2));

const linesIn = ({ bytes, shown, pieces }: RecordHeader, journal: string): string | undefined => {
  const length = Buffer.byteLength(journal);
  // Without rewinds and torn writes, the journal is the history.
  if (length === shown) return journal;
  if (length < bytes) return undefined;
  const data = Buffer.from(journal);
  return pieces.map(([from, upto]) => data.toString('utf8', from, upto)).join('');
};

/** Reads a record ('' if missing) and its journal, or the lines of its latest entries. */
export const sessionIn = (
  idKey: string,
  text: string,
  journal: string,
  historyLimit: number,
): ReadRecord => {
  const record = decodeRecord(unescapeName(idKey), text);
  if (record === undefined) return text === '' || isRemoved(text) ? 'missing' : 'corrupt';
  const { header, head, state } = record;
  const lines = historyLimit < header.entries ? journal : linesIn(header, journal);
  const history = lines === undefined ? undefined : decodeLines(lines);
  if (history?.length !== Math.min(historyLimit, header.entries)) return 'corrupt';
  return {
    head,
    state,
    history,
    historyCount: header.entries,
    sequence: header.sequence,
    historyVersion: header.version,
    historyPosition: header.bytes,
  };
};

/**
 * One command reads complete sessions in less than half the time of the script. Undefined if a
 * session needs the script, or if they are too large.
 */
const findWhole = async (
  call: Call,
  names: readonly string[],
  idKeys: readonly string[],
  maxBytes: number,
): Promise<readonly SessionRecord[] | undefined> => {
  const reply = await call.readCommand('mget', names, asListOf(asTextOrNull));
  const texts = reply.unwrapOr([]);
  const sessions: SessionRecord[] = [];
  const takeTurn = turnTaker();
  let bytes = 0;
  for (const [at, idKey] of idKeys.entries()) {
    const text = texts[2 * at] ?? '';
    const session = sessionIn(idKey, text, texts[2 * at + 1] ?? '', NEVER);
    if (typeof session === 'string') return undefined;
    bytes += Buffer.byteLength(text) + session.historyPosition;
    if (bytes > maxBytes) return undefined;
    sessions.push(session);
    await takeTurn(session.historyPosition);
  }
  return sessions;
};

/** Sessions of one tenant in the given order. `bytes`: the size of their journals, if known. */
export const readSessions = async (
  call: Call,
  { records, journals }: TenantKeys,
  idKeys: readonly string[],
  { historyLimit = NEVER, maxBytes = NEVER }: ReadSize,
  bytes = NEVER,
): Promise<Result<readonly ReadRecord[], StoreError | TooLarge>> => {
  if (idKeys.length === 0) return ok([]);
  const names = idKeys.flatMap((idKey) => [records + idKey, journals + idKey]);
  const limit = finite(historyLimit);
  if (limit === NEVER && bytes <= maxBytes) {
    const whole = await findWhole(call, names, idKeys, maxBytes);
    if (whole !== undefined) return ok(whole);
  }
  const args = ['before', '', String(limit), String(NEVER), String(finite(maxBytes))];
  const reply = await readParts(call, names, args);
  if (reply.isErr()) return err(reply.error.error);
  const parts = reply.value;
  if (typeof parts === 'number')
    return err(tooLarge({ maxBytes }, parts, idKeys.length) ?? unknownReply.error);
  const sessions: ReadRecord[] = [];
  const takeTurn = turnTaker();
  for (const [at, idKey] of idKeys.entries()) {
    const part = parts[at];
    if (typeof part !== 'object') {
      sessions.push(part === 'missing' ? part : 'corrupt');
      continue;
    }
    sessions.push(sessionIn(idKey, part.text, part.lines, limit));
    await takeTurn(part.text.length + part.lines.length);
  }
  return ok(sessions);
};

export const findSession = async (
  call: Call,
  keys: SessionKeys,
  size: ReadSize,
): Promise<Result<SessionRecord | undefined, StoreError | TooLarge>> => {
  const read = await readSessions(call, keys, [keys.idKey], size);
  if (read.isErr()) return err(read.error);
  const [found] = read.value;
  if (found === 'corrupt') return err(unreadable(keys));
  return ok(found === 'missing' ? undefined : found);
};

export const findState = async (call: Call, keys: SessionKeys): Answer<StateRecord | undefined> => {
  const text = await call.readCommand('get', [keys.record], asTextOrNull);
  if (text.isErr()) return err(toStoreError(keys, text.error));
  if (text.value === null || isRemoved(text.value)) return ok(undefined);
  const decoded = decodeRecord(keys.id, text.value);
  return decoded === undefined ? err(unreadable(keys)) : ok(decoded.state);
};

/** Maps an offset in the history, without superseded entries, to a position. */
const positionAt = ({ pieces, bytes }: RecordHeader, place: number): number => {
  let left = place;
  for (const [from, upto] of pieces) {
    if (left <= upto - from) return from + left;
    left -= upto - from;
  }
  return bytes;
};

const isSuperseded = ({ pieces }: RecordHeader, position: number): boolean =>
  position > 0 && !pieces.some(([from, upto]) => position >= from && position <= upto);

const sliceIn = (
  header: RecordHeader,
  lines: string,
  start: number,
  { after, before }: HistorySlice,
): EntriesOutcome | undefined => {
  const placed = decodePlaced(lines, start);
  if (placed === undefined) return undefined;
  const entries = placed.map((entry) => ({
    ...entry,
    position: positionAt(header, entry.position),
  }));
  const place = placed.at(-1)?.position ?? start;
  const hasMore = place < header.shown;
  return {
    outcome: 'found',
    entries,
    start: after ?? (start === 0 ? 0 : positionAt(header, start)),
    position: before ?? (hasMore ? positionAt(header, place) : header.bytes),
    hasMore,
    isSuperseded: isSuperseded(header, after ?? before ?? 0),
    version: header.version,
  };
};

export const readEntries = async (
  call: Call,
  keys: SessionKeys,
  slice: HistorySlice,
): Answer<EntriesOutcome> => {
  const { after, before, limit, maxBytes = NEVER } = slice;
  const side = after === undefined ? 'before' : 'after';
  const args = [side, String(after ?? before ?? ''), String(limit), String(maxBytes), ''];
  const reply = await readParts(call, [keys.record, keys.journal], args);
  if (reply.isErr()) return err(toStoreError(keys, reply.error));
  if (typeof reply.value === 'number') return err(unknownReply.error);
  const [part = 'corrupt'] = reply.value;
  if (part === 'corrupt') return err(unreadable(keys));
  if (typeof part === 'string') return ok({ outcome: part });
  const [first = '', ranges = ''] = part.text.split('\n');
  const header = decodeHeader(first, ranges);
  const read = header && sliceIn(header, part.lines, part.start, slice);
  return read === undefined ? err(unreadable(keys)) : ok(read);
};
