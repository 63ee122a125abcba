import { ok, type Result } from 'neverthrow';
import type { CorruptRecord, StoreError, TooLarge } from '../../src/session/errors.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type {
  DueKey,
  EntriesOutcome,
  HistorySlice,
  ReadSize,
  SessionKey,
  StoredMessage,
} from '../../src/store/session-store.js';
import { entriesIn, isPositionIn } from '../sql/entries-in.js';
import { MESSAGE_COLUMNS, messagesIn, messagesQuery } from '../sql/message-rows.js';
import { storedKeyOf } from '../sql/queue-query.js';
import { checkedSize, sessionOf, stateIn } from '../sql/session-rows.js';
import { escapeName } from '../stored/escape-name.js';
import { NEVER } from '../stored/infinite-times.js';
import { parseStored } from '../stored/json.js';
import type { Answer, Call } from './call.js';
import { loadSessions, SESSION_COLUMNS } from './load-sessions.js';

const FIND = '$sessions AS session WHERE tenant = ? AND id = ?';

const STATE_COLUMNS = ['state', 'last_activity', 'revision', 'asked_at', 'inbox'];

const FIND_STATE = `SELECT ${STATE_COLUMNS.join(', ')} FROM ${FIND}`;

export const findSession = async (
  call: Call,
  key: SessionKey,
  size: ReadSize,
): Answer<SessionRecord | undefined, StoreError | TooLarge> => {
  const source = { sql: FIND, values: [escapeName(key.tenant), escapeName(key.id)] };
  const rows = await call.read({ ...loadSessions(source, size), columns: SESSION_COLUMNS });
  const loaded = rows.andThen((found) => checkedSize(found, size));
  return loaded.andThen(([row]): Result<SessionRecord | undefined, CorruptRecord> => {
    if (row === undefined) return ok(undefined);
    return sessionOf(row['id'], parseStored(row['record']), size);
  });
};

export const findState = async (
  call: Call,
  key: DueKey,
): Answer<StateRecord | undefined, StoreError> => {
  const { tenant, id } = storedKeyOf(key);
  const rows = await call.read({ sql: FIND_STATE, values: [tenant, id], columns: STATE_COLUMNS });
  return rows.andThen(([row]) => stateIn(key.id, row));
};

/** For a slice at an invalid position. */
const NOTHING_ASKED: HistorySlice = { after: 0, limit: 1 };

/** The entries next to the position `given`. `size`: the bytes from there to each entry. */
const nextTo = (side: string, order: string): string => `
  SELECT position, entry, bytes, sum(bytes) OVER (ORDER BY position ${order}) AS size
  FROM (
    SELECT position, bytes, entry
    FROM $entries
    WHERE session = number AND position ${side} given
    ORDER BY position ${order}
    LIMIT ?
  ) AS next`;

/** Returns at least one entry, even if its bytes do not fit. */
const sliceOf = (side: string, order: string): string => `
  WITH asked AS (
    SELECT ${STATE_COLUMNS.join(', ')}, number, incarnation, redactions, entries, position,
      least(?::bigint, position) AS given
    FROM ${FIND}
  )
  SELECT asked.*, slice.*,
    NOT $is_current(number, given, position) AS is_superseded,
    (SELECT max(position) FROM $entries WHERE session = number AND position < first) AS previous,
    (SELECT max(position) FROM $entries WHERE session = number) AS newest
  FROM asked, LATERAL (
    SELECT min(position) AS first, count(*) AS read,
      string_agg(entry, ',' ORDER BY position) AS history,
      string_agg(position::text, ',' ORDER BY position) AS positions
    FROM (${nextTo(side, order)}) AS sized
    WHERE size <= ? OR size = bytes
  ) AS slice`;
const SLICE_AFTER = sliceOf('>', 'ASC');
const SLICE_BEFORE = sliceOf('<=', 'DESC');

export const findEntries = async (
  call: Call,
  key: SessionKey,
  slice: HistorySlice,
): Answer<EntriesOutcome, StoreError> => {
  const isPosition = isPositionIn(slice, Number.MAX_SAFE_INTEGER);
  const { after, before = NEVER, limit, maxBytes = NEVER } = isPosition ? slice : NOTHING_ASKED;
  const found = [after ?? before, escapeName(key.tenant), escapeName(key.id)];
  const rows = await call.read({
    sql: after === undefined ? SLICE_BEFORE : SLICE_AFTER,
    values: [...found, limit, maxBytes],
    columns: [...STATE_COLUMNS, 'history', 'positions', 'read'],
  });
  return rows.andThen(([row]) => entriesIn(key.id, slice, row));
};

export const findMessages = async (
  call: Call,
  key: SessionKey,
  ids: readonly string[] | undefined,
): Answer<readonly StoredMessage[], StoreError> => {
  const query = messagesQuery(key, ids, 'SELECT json_array_elements_text(?::text::json)');
  const rows = await call.read({ ...query, columns: MESSAGE_COLUMNS });
  return rows.andThen((found) => messagesIn(key.id, found));
};
