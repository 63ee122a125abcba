import { ok, type Result } from 'neverthrow';
import type { StoreError, TooLarge } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type {
  DueKey,
  EntriesOutcome,
  HistorySlice,
  ReadSize,
  SessionKey,
  SessionStore,
} from '../../src/store/session-store.js';
import { entriesIn, isPositionIn } from '../sql/entries-in.js';
import { storedKeyOf } from '../sql/queue-query.js';
import { checkedSize, sessionOf, stateIn } from '../sql/session-rows.js';
import { NEVER } from '../stored/infinite-times.js';
import { parseStored } from '../stored/json.js';
import { type Connection, hasKey } from './connection.js';
import { findQuery } from './load-sessions.js';
import { findRow } from './session-row.js';

const nextTo = (side: string, order: string) => `
  SELECT position, bytes
  FROM $entries
  WHERE session = ? AND position ${side} ?
  ORDER BY position ${order}
  LIMIT ?`;

/** The first and the last entry whose bytes fit; at least one entry, even if it does not fit. */
const boundsOf = (side: string, order: string) => `
  SELECT ? AS number, min(position) AS first, max(position) AS last
  FROM (
    SELECT position, bytes, sum(bytes) OVER (ORDER BY position ${order}) AS size
    FROM (${nextTo(side, order)})
  )
  WHERE size <= ? OR size = bytes`;
const BOUNDS_AFTER = boundsOf('>', 'ASC');
const BOUNDS_BEFORE = boundsOf('<=', 'DESC');

const PART = `
  SELECT ? AS number,
    (SELECT max(position) FROM $entries WHERE session = ? AND position < ?) AS previous,
    (SELECT max(position) FROM $entries WHERE session = ?) AS newest,
    ? NOT IN (0, ?) AND NOT EXISTS (
      SELECT 1 FROM $entries WHERE session = ? AND position IN (?, ?)
    ) AS is_superseded,
    count(*) AS read, group_concat(entry) AS history, group_concat(position) AS positions
  FROM (
    SELECT position, entry
    FROM $entries
    WHERE session = ? AND position BETWEEN ? AND ?
    ORDER BY position
  )`;

export const findSession = (
  connection: Connection,
  key: SessionKey,
  size: ReadSize,
): Result<SessionRecord | undefined, StoreError | TooLarge> =>
  connection.read((): Result<SessionRecord | undefined, StoreError | TooLarge> => {
    const stored = storedKeyOf(key);
    const query = findQuery(size, Object.values(stored));
    return checkedSize(connection.query(query, hasKey(stored)), size).andThen(
      ([row]): Result<SessionRecord | undefined, StoreError> =>
        row === undefined ? ok(undefined) : sessionOf(row['id'], parseStored(row['record']), size),
    );
  });

export const findState = (
  connection: Connection,
  key: DueKey,
): Awaited<ReturnType<SessionStore['findState']>> =>
  connection.read(() => stateIn(key.id, findRow(connection, key)));

const partOf = (
  connection: Connection,
  session: number,
  end: number,
  { after, before = end, limit, maxBytes = NEVER }: HistorySlice,
): Fields => {
  const given = after ?? before;
  const asked = { number: session };
  const bounds = after === undefined ? BOUNDS_BEFORE : BOUNDS_AFTER;
  const found = connection.find(bounds, asked, session, given, limit, maxBytes);
  const [first, last] = [Number(found?.['first']), Number(found?.['last'])];
  const isSuperseded = [given, end, session, given, given + 1];
  const values = [session, first, session, ...isSuperseded, session, first, last];
  return connection.find(PART, asked, ...values) ?? {};
};

export const findEntries = (
  connection: Connection,
  key: SessionKey,
  slice: HistorySlice,
): Result<EntriesOutcome, StoreError> =>
  connection.read(() => {
    const row = findRow(connection, key);
    const end = Number(row?.['position']);
    if (row === undefined || !isPositionIn(slice, end)) return entriesIn(key.id, slice, row);
    const part = partOf(connection, Number(row['number']), end, slice);
    return entriesIn(key.id, slice, { ...row, ...part });
  });
