import { err, ok, type Result } from 'neverthrow';
import { type CorruptRecord, corruptRecord, type StoreError } from '../../src/errors.js';
import type { Fields } from '../../src/input/values.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import { escapeName } from '../../src/store/escape-name.js';
import type {
  Admit,
  EntriesOutcome,
  HistorySlice,
  ReadSize,
  SessionKey,
  SessionStore,
} from '../../src/store/session-store.js';
import { decodeEntry, decodeHead, decodeState } from '../../src/store/stored-json.js';
import type { Connection } from './connection.js';

/** Bytes of JSON that a session has beside its head and its history: its status, duration and the like. */
const FRAME_BYTES = 150;

export const SIZE_COLUMNS = 'number, entries, bytes, head_bytes';

const FIND = `SELECT ${SIZE_COLUMNS} FROM colloquy_sessions WHERE tenant = ? AND id = ?`;
const BYTES_UP_TO = 'SELECT bytes FROM colloquy_entries WHERE session = ? AND position = ?';
const LOAD = `SELECT state, head, entries, sequence, birth
  FROM colloquy_sessions LEFT JOIN colloquy_heads ON session = number WHERE number = ?`;
const ENTRIES = `SELECT entry FROM colloquy_entries
  WHERE session = ? AND position > ? AND position <= ? ORDER BY position`;
const STATE = 'SELECT number, state, entries FROM colloquy_sessions WHERE tenant = ? AND id = ?';
/* Counting on from a position: the last entry whose bytes fit. Counting back: the first one. */
const LAST_THAT_FITS = `SELECT max(position) AS position FROM colloquy_entries
  WHERE session = ? AND position > ? AND position <= ? AND bytes <= ?`;
const FIRST_THAT_FITS = `SELECT min(position) AS position FROM colloquy_entries
  WHERE session = ? AND position >= ? AND position < ? AND bytes >= ?`;

export const unreadable = (id: string, part: string): CorruptRecord =>
  corruptRecord(id, `this version does not know the format of its ${part}`);

const bytesUpTo = (connection: Connection, number: number, position: number): number =>
  position === 0 ? 0 : Number(connection.get(BYTES_UP_TO, number, position)?.['bytes'] ?? 0);

/** Approximate bytes of JSON of the part of a session to read, from a row with `SIZE_COLUMNS`. */
export const bytesToRead = (connection: Connection, row: Fields, { historyLimit }: ReadSize): number => {
  const [number, entries] = [Number(row['number']), Number(row['entries'])];
  const start = Math.max(0, entries - (historyLimit ?? entries));
  return FRAME_BYTES + Number(row['head_bytes']) + Number(row['bytes']) - bytesUpTo(connection, number, start);
};

const entriesBetween = (
  connection: Connection,
  number: number,
  start: number,
  end: number,
): readonly HistoryEntry[] | undefined => {
  if (start === end) return [];
  const entries = connection.all(ENTRIES, number, start, end).map(({ entry }) => decodeEntry(entry));
  const read = entries.filter((entry) => entry !== undefined);
  return read.length === end - start ? read : undefined;
};

/** Reads the session with this number, within a transaction. */
export const loadSession = (
  connection: Connection,
  id: string,
  number: number,
  { historyLimit }: ReadSize,
): Result<SessionRecord, CorruptRecord> => {
  const row = connection.get(LOAD, number);
  const state = decodeState(row?.['state']);
  if (row === undefined || state === undefined) return err(unreadable(id, 'state'));
  const head = decodeHead(id, row['head']);
  if (head === undefined) return err(unreadable(id, 'head'));
  const historyCount = Number(row['entries']);
  const start = Math.max(0, historyCount - (historyLimit ?? historyCount));
  const history = entriesBetween(connection, number, start, historyCount);
  if (history === undefined) return err(unreadable(id, 'history'));
  return ok({ head, state, history, historyCount, sequence: Number(row['sequence']), birth: String(row['birth']) });
};

export const findSession = <E>(
  connection: Connection,
  { tenant, id }: SessionKey,
  size: ReadSize,
  admit: Admit<E> | undefined,
): Result<SessionRecord | undefined, StoreError | E> =>
  connection.read((): Result<SessionRecord | undefined, StoreError | E> => {
    const row = connection.get(FIND, escapeName(tenant), escapeName(id));
    if (row === undefined) return ok(undefined);
    const refusal = admit?.(bytesToRead(connection, row, size), 1);
    return refusal === undefined ? loadSession(connection, id, Number(row['number']), size) : err(refusal);
  });

export const findState = (
  connection: Connection,
  { tenant, id }: SessionKey,
): Awaited<ReturnType<SessionStore['findState']>> =>
  connection.read(() => {
    const row = connection.get(STATE, escapeName(tenant), escapeName(id));
    if (row === undefined) return ok(undefined);
    const state = decodeState(row['state']);
    return state === undefined ? err(unreadable(id, 'state')) : ok(state);
  });

/** The positions around the entries of a slice of a history of `count` entries. */
const boundsOf = (connection: Connection, number: number, count: number, slice: HistorySlice) => {
  const { after, before = count, limit, maxBytes = Number.POSITIVE_INFINITY } = slice;
  const start = after ?? Math.max(0, before - limit);
  const end = after === undefined ? before : Math.min(after + limit, count);
  if (end - start < 2 || maxBytes === Number.POSITIVE_INFINITY) return { start, end };
  if (after !== undefined) {
    const most = bytesUpTo(connection, number, start) + maxBytes;
    const last = connection.get(LAST_THAT_FITS, number, start, end, most)?.['position'];
    return { start, end: Math.max(start + 1, Number(last ?? 0)) };
  }
  const least = bytesUpTo(connection, number, end) - maxBytes;
  if (least <= bytesUpTo(connection, number, start)) return { start, end };
  const first = connection.get(FIRST_THAT_FITS, number, start, end, least)?.['position'];
  return { start: Number(first ?? end - 1), end };
};

export const findEntries = (
  connection: Connection,
  { tenant, id }: SessionKey,
  slice: HistorySlice,
): Result<EntriesOutcome, StoreError> =>
  connection.read((): Result<EntriesOutcome, StoreError> => {
    const row = connection.get(STATE, escapeName(tenant), escapeName(id));
    if (row === undefined) return ok({ outcome: 'missing' });
    if (decodeState(row['state']) === undefined) return err(unreadable(id, 'state'));
    const [number, count] = [Number(row['number']), Number(row['entries'])];
    const given = slice.after ?? slice.before ?? count;
    if (!Number.isInteger(given) || given < 0 || given > count) return ok({ outcome: 'invalid_position' });
    const { start, end } = boundsOf(connection, number, count, slice);
    const entries = entriesBetween(connection, number, start, end);
    if (entries === undefined) return err(unreadable(id, 'history'));
    return ok({ outcome: 'found', entries, start, position: end, hasMore: end < count });
  });
