import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { StoreError, TooLarge } from '../../src/session/errors.js';
import type { PositionedEntry } from '../../src/session/session.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type {
  DueKey,
  EntriesOutcome,
  HistorySlice,
  ReadSize,
  SessionKey,
  SessionStore,
} from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { decodeEntries } from '../shared/stored-json.js';
import { partAround } from '../sql/part-around.js';
import { storedKeyOf } from '../sql/queue-query.js';
import {
  checkedSize,
  historyVersionOf,
  stateIn,
  unreadable,
  withPositions,
} from '../sql/session-rows.js';
import { type Connection, hasKey } from './connection.js';
import { loadSessions, selectRows } from './load-sessions.js';

const STATE = `
  SELECT tenant, id, number, incarnation, state, last_activity, revision, wanted_at, redactions, entries, position
  FROM colloquy_sessions
  WHERE tenant = ? AND id = ?`;

/** The entries next to a position, on one side of it. */
const nextTo = (side: string, order: string) => `
  SELECT position, bytes
  FROM colloquy_entries
  WHERE session = ? AND position ${side} ?
  ORDER BY position ${order}
  LIMIT ?`;
const NEXT_AFTER = nextTo('>', 'ASC');
const NEXT_BEFORE = nextTo('<=', 'DESC');

/** The first and the last of the entries next to a position, and their bytes. */
const boundsOf = (next: string) => `
  SELECT ? AS number, min(position) AS first, max(position) AS last, sum(bytes) AS bytes
  FROM (${next})`;
const BOUNDS_AFTER = boundsOf(NEXT_AFTER);
const BOUNDS_BEFORE = boundsOf(NEXT_BEFORE);

/** The farthest of the entries next to a position up to which the bytes fit. */
const farthestThatFits = (next: string, order: string, farthest: string) => `
  SELECT ? AS number, ${farthest}(position) AS farthest
  FROM (SELECT position, sum(bytes) OVER (ORDER BY position ${order}) AS size FROM (${next}))
  WHERE size <= ?`;
const LAST_THAT_FITS = farthestThatFits(NEXT_AFTER, 'ASC', 'max');
const FIRST_THAT_FITS = farthestThatFits(NEXT_BEFORE, 'DESC', 'min');

/**
 * The last entry before a part, the last one of the history, whether one of two positions is that
 * of an entry, and the entries of the part.
 */
const ENTRIES = `
  SELECT ? AS number,
    (SELECT max(position) FROM colloquy_entries WHERE session = ? AND position < ?) AS previous,
    (SELECT max(position) FROM colloquy_entries WHERE session = ?) AS newest,
    EXISTS (SELECT 1 FROM colloquy_entries WHERE session = ? AND position IN (?, ?)) AS is_entry,
    count(*) AS entries, group_concat(entry) AS history, group_concat(position) AS positions
  FROM (
    SELECT position, entry
    FROM colloquy_entries
    WHERE session = ? AND position BETWEEN ? AND ?
    ORDER BY position
  )`;

export const findSession = (
  connection: Connection,
  { tenant, id }: SessionKey,
  size: ReadSize,
): Result<SessionRecord | undefined, StoreError | TooLarge> =>
  connection.read((): Result<SessionRecord | undefined, StoreError | TooLarge> => {
    const from = 'colloquy_sessions AS session WHERE tenant = ? AND id = ?';
    const row = { tenant: escapeName(tenant), id: escapeName(id) };
    const rows = connection.query(
      selectRows(size, { sql: from, values: [row.tenant, row.id] }),
      hasKey(row),
    );
    const loaded = checkedSize(rows, size).map((fitting) =>
      loadSessions(connection, fitting, size),
    );
    return loaded.andThen(
      ([session]): Result<SessionRecord | undefined, StoreError> => session ?? ok(undefined),
    );
  });

const stateRow = (connection: Connection, key: DueKey): Fields | undefined =>
  connection.find(STATE, storedKeyOf(key));

export const findState = (
  connection: Connection,
  key: DueKey,
): Awaited<ReturnType<SessionStore['findState']>> =>
  connection.read(() => stateIn(key.id, stateRow(connection, key)));

/** The positions of the first and the last entry of a part; 0 without entries. */
interface Bounds {
  readonly first: number;
  readonly last: number;
}

/** The bounds of a slice at a position. */
const boundsAt = (
  connection: Connection,
  session: number,
  given: number,
  slice: HistorySlice,
): Bounds => {
  const { after, limit, maxBytes = Number.POSITIVE_INFINITY } = slice;
  const isAfter = after !== undefined;
  const asked = { number: session };
  const found =
    connection.find(isAfter ? BOUNDS_AFTER : BOUNDS_BEFORE, asked, session, given, limit) ?? {};
  const [first, last] = [Number(found['first']), Number(found['last'])];
  if (Number(found['bytes']) <= maxBytes) return { first, last };
  const fits = isAfter ? LAST_THAT_FITS : FIRST_THAT_FITS;
  const farthest = connection.find(fits, asked, session, given, limit, maxBytes)?.['farthest'];
  // At least one entry, even if it does not fit.
  if (isAfter) return { first, last: Number(farthest ?? first) };
  return { first: Number(farthest ?? last), last };
};

/** The entries in a row of ENTRIES; `undefined` if they cannot be read. */
const entriesIn = ({
  history,
  entries,
  positions,
}: Fields): readonly PositionedEntry[] | undefined => {
  const decoded = decodeEntries(history);
  return decoded?.length === Number(entries) ? withPositions(decoded, positions) : undefined;
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
    const session = Number(row['number']);
    const end = Number(row['position']);
    const given = slice.after ?? slice.before ?? end;
    if (!Number.isInteger(given) || given < 0 || given > end)
      return ok({ outcome: 'invalid_position' });
    const { first, last } = boundsAt(connection, session, given, slice);
    const asked = [session, first, session, session, given, given + 1, session, first, last];
    const found = connection.find(ENTRIES, { number: session }, ...asked) ?? {};
    const entries = entriesIn(found);
    if (entries === undefined) return err(unreadable(key.id, 'history'));
    // Every other position up to the end is superseded.
    const isCurrent = given === 0 || given === end || Number(found['is_entry']) === 1;
    const around = { end, previous: Number(found['previous']), newest: Number(found['newest']) };
    return ok({
      outcome: 'found',
      entries,
      ...partAround(slice, entries, around),
      isSuperseded: !isCurrent,
      version: historyVersionOf(row),
    });
  });
