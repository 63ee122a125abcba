import { err, ok, type Result } from 'neverthrow';
import { type CorruptRecord, corruptRecord, type StoreError } from '../../src/errors.js';
import type { Fields } from '../../src/input/values.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import { escapeName } from '../../src/store/escape-name.js';
import { NEVER } from '../../src/store/never.js';
import type {
  Admit,
  EntriesOutcome,
  HistorySlice,
  ReadSize,
  SessionKey,
  SessionStore,
} from '../../src/store/session-store.js';
import { decodeEntries, decodeHead, decodeState } from '../../src/store/stored-json.js';
import { placeOf, type Query } from '../sql/page-query.js';
import type { Connection } from './connection.js';

/** Bytes of JSON that a session has beside its head and its history: its status, duration and the like. */
const FRAME_BYTES = 150;

/** Bytes of the entries to read: the last `historyLimit`. */
const historyBytes = ({ historyLimit }: ReadSize): Query => {
  if (historyLimit === undefined) return { sql: 'bytes', values: [] };
  if (historyLimit === 0) return { sql: '0', values: [] };
  const before = 'SELECT entry.bytes FROM colloquy_entries AS entry WHERE session = number AND position = entries - ?';
  return { sql: `bytes - coalesce((${before}), 0)`, values: [historyLimit] };
};

/** Reads what is short of sessions, and the bytes to read. `from` names the sessions `session`. */
export const selectRows = (size: ReadSize, from: Query): Query => {
  const { sql, values } = historyBytes(size);
  return {
    sql: `SELECT number, session.created_ms AS created_ms, session.id AS id, state, entries, sequence, birth,
      ${FRAME_BYTES} + head_bytes + ${sql} AS size FROM ${from.sql}`,
    values: [...values, ...from.values],
  };
};

const HISTORY = `SELECT group_concat(entry) FROM (
    SELECT entry FROM colloquy_entries WHERE session = number AND position > entries - ? ORDER BY position
  )`;
const LARGE = `FROM colloquy_sessions JOIN colloquy_heads ON session = number
  WHERE number IN (SELECT value FROM json_each(?))`;
const LOAD = `SELECT number, head, (${HISTORY}) AS history ${LARGE}`;
const LOAD_HEADS = `SELECT number, head ${LARGE}`;
const ENTRIES = `SELECT group_concat(entry) AS history FROM (
    SELECT entry FROM colloquy_entries WHERE session = ? AND position > ? AND position <= ? ORDER BY position
  )`;
const STATE = 'SELECT number, state, entries FROM colloquy_sessions WHERE tenant = ? AND id = ?';
const BYTES_UP_TO = 'SELECT bytes FROM colloquy_entries WHERE session = ? AND position = ?';
/* Counting on from a position: the last entry whose bytes fit. Counting back: the first one. */
const LAST_THAT_FITS = `SELECT max(position) AS position FROM colloquy_entries
  WHERE session = ? AND position > ? AND position <= ? AND bytes <= ?`;
const FIRST_THAT_FITS = `SELECT min(position) AS position FROM colloquy_entries
  WHERE session = ? AND position >= ? AND position < ? AND bytes >= ?`;

export const unreadable = (id: string, part: string): CorruptRecord =>
  corruptRecord(id, `this version does not know the format of its ${part}`);

const recordOf = (row: Fields, large: Fields | undefined, most: number): Result<SessionRecord, CorruptRecord> => {
  const { id } = placeOf(row);
  const state = decodeState(row['state']);
  if (state === undefined) return err(unreadable(id, 'state'));
  const head = decodeHead(id, large?.['head']);
  if (head === undefined) return err(unreadable(id, 'head'));
  const historyCount = Number(row['entries']);
  const history = decodeEntries(large?.['history']);
  if (history?.length !== Math.min(most, historyCount)) return err(unreadable(id, 'history'));
  return ok({ head, state, history, historyCount, sequence: Number(row['sequence']), birth: String(row['birth']) });
};

/** Reads the sessions of some rows of `selectRows`, in their order and within a transaction, if `admit` accepts their size. */
export const loadSessions = <E>(
  connection: Connection,
  rows: readonly Fields[],
  size: ReadSize,
  admit: Admit<E> | undefined,
): Result<readonly Result<SessionRecord, CorruptRecord>[], E> => {
  if (rows.length === 0) return ok([]);
  const bytes = rows.reduce((sum, row) => sum + Number(row['size']), 0);
  const refusal = admit?.(bytes, rows.length);
  if (refusal !== undefined) return err(refusal);
  const { historyLimit: most = NEVER } = size;
  const numbers = JSON.stringify(rows.map(({ number }) => Number(number)));
  const loaded = most === 0 ? connection.all(LOAD_HEADS, numbers) : connection.all(LOAD, most, numbers);
  const large = new Map(loaded.map((row) => [Number(row['number']), row]));
  return ok(rows.map((row) => recordOf(row, large.get(Number(row['number'])), most)));
};

export const findSession = <E>(
  connection: Connection,
  { tenant, id }: SessionKey,
  size: ReadSize,
  admit: Admit<E> | undefined,
): Result<SessionRecord | undefined, StoreError | E> =>
  connection.read((): Result<SessionRecord | undefined, StoreError | E> => {
    const from = 'colloquy_sessions AS session WHERE tenant = ? AND id = ?';
    const rows = connection.query(selectRows(size, { sql: from, values: [escapeName(tenant), escapeName(id)] }));
    return loadSessions(connection, rows, size, admit).andThen(
      ([session]): Result<SessionRecord | undefined, StoreError> => session ?? ok(undefined),
    );
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

const bytesUpTo = (connection: Connection, number: number, position: number): number =>
  position === 0 ? 0 : Number(connection.get(BYTES_UP_TO, number, position)?.['bytes'] ?? 0);

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
    const entries = decodeEntries(connection.get(ENTRIES, number, start, end)?.['history']);
    if (entries?.length !== end - start) return err(unreadable(id, 'history'));
    return ok({ outcome: 'found', entries, start, position: end, hasMore: end < count });
  });
