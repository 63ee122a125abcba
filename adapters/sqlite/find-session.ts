import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { StoreError, TooLarge } from '../../src/session/errors.js';
import { entriesUpTo, isSuperseded, partBetween } from '../../src/session/history-positions.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type {
  EntriesOutcome,
  HistorySlice,
  ReadSize,
  SessionKey,
  SessionStore,
} from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { decodeEntries } from '../shared/stored-json.js';
import { checkedSize, historyVersion, stateIn, unreadable, withPositions } from '../sql/session-rows.js';
import { type Connection, hasKey } from './connection.js';
import { loadSessions, selectRows } from './load-sessions.js';
import { positionsOf, type StoredPositions } from './stored-positions.js';

const ENTRIES = `SELECT number, group_concat(entry) AS history, group_concat(position) AS positions FROM (
    SELECT session AS number, entry, position FROM colloquy_entries
      WHERE session = ? AND entry_number > ? AND entry_number <= ? ORDER BY entry_number
  )`;
const STATE = `SELECT tenant, id, number, incarnation, state, last_activity, redactions, entries, position
  FROM colloquy_sessions WHERE tenant = ? AND id = ?`;
/* The last entry that fits after a given one, and the first entry that fits before a given one. */
const LAST_THAT_FITS = `SELECT session, entry_number FROM colloquy_entries
  WHERE session = ? AND entry_number > ? AND entry_number <= ? AND bytes <= ? ORDER BY entry_number DESC LIMIT 1`;
const FIRST_THAT_FITS = `SELECT session, entry_number FROM colloquy_entries
  WHERE session = ? AND entry_number >= ? AND entry_number < ? AND bytes >= ? ORDER BY entry_number LIMIT 1`;

export const findSession = (
  connection: Connection,
  { tenant, id }: SessionKey,
  size: ReadSize,
): Result<SessionRecord | undefined, StoreError | TooLarge> =>
  connection.read((): Result<SessionRecord | undefined, StoreError | TooLarge> => {
    const from = 'colloquy_sessions AS session WHERE tenant = ? AND id = ?';
    const row = { tenant: escapeName(tenant), id: escapeName(id) };
    const rows = connection.query(selectRows(size, { sql: from, values: [row.tenant, row.id] }), hasKey(row));
    const loaded = checkedSize(rows, size).map((fitting) => loadSessions(connection, fitting, size));
    return loaded.andThen(([session]): Result<SessionRecord | undefined, StoreError> => session ?? ok(undefined));
  });

const stateRow = (connection: Connection, { tenant, id }: SessionKey): Fields | undefined =>
  connection.find(STATE, { tenant: escapeName(tenant), id: escapeName(id) });

export const findState = (connection: Connection, key: SessionKey): Awaited<ReturnType<SessionStore['findState']>> =>
  connection.read(() => stateIn(key.id, stateRow(connection, key)));

/** The numbers of entries around a slice. */
const boundsOf = (connection: Connection, session: number, positions: StoredPositions, slice: HistorySlice) => {
  const { after, before = positions.end, limit, maxBytes = Number.POSITIVE_INFINITY } = slice;
  const given = entriesUpTo(positions, after ?? before);
  const from = after === undefined ? Math.max(0, given - limit) : given;
  const to = after === undefined ? given : Math.min(given + limit, positions.entries);
  if (to - from < 2 || maxBytes === Number.POSITIVE_INFINITY) return { from, to };
  if (after !== undefined) {
    const most = positions.bytesUpTo(from) + maxBytes;
    const last = connection.find(LAST_THAT_FITS, { session }, from, to, most)?.['entry_number'];
    return { from, to: Math.max(from + 1, Number(last ?? 0)) };
  }
  const least = positions.bytesUpTo(to) - maxBytes;
  if (least <= positions.bytesUpTo(from)) return { from, to };
  const first = connection.find(FIRST_THAT_FITS, { session }, from, to, least)?.['entry_number'];
  return { from: Number(first ?? to - 1), to };
};

export const findEntries = (
  connection: Connection,
  key: SessionKey,
  slice: HistorySlice,
): Result<EntriesOutcome, StoreError> =>
  connection.read((): Result<EntriesOutcome, StoreError> => {
    const row = stateRow(connection, key);
    if (row === undefined) return ok({ outcome: 'missing' });
    const state = stateIn(key.id, row);
    if (state.isErr()) return err(state.error);
    const number = Number(row['number']);
    const positions = positionsOf(connection, row);
    const given = slice.after ?? slice.before ?? positions.end;
    if (!Number.isInteger(given) || given < 0 || given > positions.end) return ok({ outcome: 'invalid_position' });
    const { from, to } = boundsOf(connection, number, positions, slice);
    const isAskedFor = (found: Fields) => from === to || hasKey({ number })(found);
    const [found] = connection.query({ sql: ENTRIES, values: [number, from, to] }, isAskedFor);
    const entries = decodeEntries(found?.['history']);
    if (entries?.length !== to - from) return err(unreadable(key.id, 'history'));
    const positioned = withPositions(entries, found?.['positions']);
    return ok({
      outcome: 'found',
      entries: positioned,
      ...partBetween(positions, slice, from, to),
      isSuperseded: isSuperseded(positions, given),
      version: historyVersion(row),
    });
  });
