import { ok, type Result } from 'neverthrow';
import type { CorruptRecord, StoreError, TooLarge } from '../../src/session/errors.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type {
  DueKey,
  EntriesOutcome,
  HistorySlice,
  ReadSize,
  SessionKey,
} from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { NEVER } from '../shared/never.js';
import { entriesIn, isPositionIn } from '../sql/entries-in.js';
import type { Query } from '../sql/query.js';
import { storedKeyOf } from '../sql/queue-query.js';
import { checkedSize, stateIn } from '../sql/session-rows.js';
import type { Answer, Call } from './call.js';
import { loadSessions, type Source, sessionOf } from './load-sessions.js';

const sourceOf = (prefix: string, { tenant, id }: SessionKey): Source => ({
  sql: `SELECT * FROM ${prefix}sessions WHERE tenant = ? AND id = ?`,
  values: [escapeName(tenant), escapeName(id)],
  isWhole: true,
});

export const findSession = async (
  call: Call,
  prefix: string,
  key: SessionKey,
  size: ReadSize,
): Answer<SessionRecord | undefined, StoreError | TooLarge> => {
  const rows = await call.query(loadSessions(prefix, sourceOf(prefix, key), size));
  const loaded = rows.andThen((found) => checkedSize(found, size));
  return loaded.andThen(([row]): Result<SessionRecord | undefined, CorruptRecord> => {
    if (row === undefined) return ok(undefined);
    return sessionOf(row, size);
  });
};

export const findState = async (
  call: Call,
  prefix: string,
  key: DueKey,
): Answer<StateRecord | undefined, StoreError> => {
  const sql = `SELECT state, last_activity, revision, wanted_at FROM ${prefix}sessions WHERE tenant = ? AND id = ?`;
  const { tenant, id } = storedKeyOf(key);
  const rows = await call.query({ sql, values: [tenant, id] });
  return rows.andThen(([row]) => stateIn(key.id, row));
};

/**
 * The entries of a slice: the first ones after the given position, or the latest ones up to it,
 * whose bytes fit, but at least one. And the last entry before them, and the last of the history.
 */
const sliceOf = (prefix: string, { tenant, id }: SessionKey, slice: HistorySlice): Query => {
  const { after, before = NEVER, limit, maxBytes = NEVER } = slice;
  const [side, order] = after === undefined ? ['<=', 'DESC'] : ['>', 'ASC'];
  return {
    sql: `
      WITH asked AS (
        SELECT number, incarnation, state, last_activity, revision, wanted_at, redactions, entries, position,
          least(?::bigint, position) AS given
        FROM ${prefix}sessions
        WHERE tenant = ? AND id = ?
      )
      SELECT asked.*, slice.*,
        NOT ${prefix}is_current(number, given, position) AS is_superseded,
        (
          SELECT max(entry.position)
          FROM ${prefix}entries AS entry
          WHERE entry.session = number AND entry.position < slice.first
        ) AS previous,
        (
          SELECT max(entry.position)
          FROM ${prefix}entries AS entry
          WHERE entry.session = number
        ) AS newest
      FROM asked, LATERAL (
        SELECT min(sized.position) AS first, count(*) AS read,
          string_agg(sized.entry, ',' ORDER BY sized.position) AS history,
          string_agg(sized.position::text, ',' ORDER BY sized.position) AS positions
        FROM (
          SELECT next.position, next.entry,
            row_number() OVER (ORDER BY next.position ${order}) AS place,
            sum(next.bytes) OVER (ORDER BY next.position ${order}) AS size
          FROM (
            SELECT entry.position, entry.bytes, entry.entry
            FROM ${prefix}entries AS entry
            WHERE entry.session = number AND entry.position ${side} given
            ORDER BY entry.position ${order}
            LIMIT ?
          ) AS next
        ) AS sized
        WHERE place = 1 OR size <= ?
      ) AS slice`,
    values: [after ?? before, escapeName(tenant), escapeName(id), limit, maxBytes],
  };
};

export const findEntries = async (
  call: Call,
  prefix: string,
  key: SessionKey,
  slice: HistorySlice,
): Answer<EntriesOutcome, StoreError> => {
  const isPosition = isPositionIn(slice, Number.MAX_SAFE_INTEGER);
  const asked = isPosition ? slice : { limit: 1, after: 0 };
  const rows = await call.query(sliceOf(prefix, key, asked));
  return rows.andThen(([row]) => entriesIn(key.id, slice, row));
};
