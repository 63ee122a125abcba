import type { Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { CorruptRecord } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { PageRange, ReadSize } from '../../src/store/session-store.js';
import { NEVER } from '../shared/never.js';
import { directionOf } from '../sql/page-query.js';
import type { Query } from '../sql/query.js';
import { FRAME_BYTES, sessionIn } from '../sql/session-rows.js';

/** The bytes of the last `historyLimit` entries. */
const historyBytes = ({ historyLimit }: ReadSize): Query => {
  if (historyLimit === undefined) return { sql: 'session.bytes', values: [] };
  if (historyLimit === 0) return { sql: '0', values: [] };
  return {
    sql: `CASE
        WHEN session.entries <= ? THEN session.bytes
        ELSE (
          SELECT sum(latest.bytes)
          FROM (
            SELECT entry.bytes
            FROM $entries AS entry
            WHERE entry.session = session.number
            ORDER BY entry.position DESC
            LIMIT ?
          ) AS latest
        )
      END`,
    values: [historyLimit, historyLimit],
  };
};

/** The last `historyLimit` entries of a session of the table `fitting`, in their order. */
const historyOf = ({ historyLimit }: ReadSize): Query => {
  if (historyLimit === 0) return { sql: 'NULL', values: [] };
  const aggregated = (latest: string): string => `(
        SELECT string_agg(latest.entry, ',' ORDER BY latest.position)
        FROM (${latest}) AS latest
      )`;
  const entries = `
    SELECT entry.position, entry.entry
    FROM $entries AS entry
    WHERE entry.session = fitting.number`;
  if (historyLimit === undefined) return { sql: aggregated(entries), values: [] };
  const latest = `${entries} ORDER BY entry.position DESC LIMIT ?`;
  return { sql: aggregated(latest), values: [historyLimit] };
};

/** Where sessions are read: tables and a condition, which name the table `session`. */
export interface Source extends Query {
  /** The time by which they are sorted. Default: that of their creation. */
  readonly time?: string;
}

/**
 * Reads the first `limit` sessions of a source, with the latest entries of their histories. If
 * their total size exceeds `maxBytes`, it reads only their sizes. Of a session after the page, which
 * is no part of the total, it reads only the position. A single statement, so that the result is
 * consistent.
 */
export const loadSessions = (
  source: Source,
  size: ReadSize,
  page: Pick<PageRange, 'limit' | 'order'>,
): Query => {
  const { time = 'session.created_ms' } = source;
  const { limit } = page;
  const { maxBytes = NEVER } = size;
  const direction = directionOf(page);
  const bytes = historyBytes(size);
  const history = historyOf(size);
  return {
    sql: `
      WITH sized AS (
        SELECT session.*, ${time} AS listed_ms,
          row_number() OVER (ORDER BY ${time} ${direction}, session.id ${direction}) AS place,
          ${FRAME_BYTES} + octet_length(session.head) + octet_length(session.state)
            + ${bytes.sql} AS size
        FROM ${source.sql}
      ), fitting AS (
        SELECT *, place <= ? AND sum(size) FILTER (WHERE place <= ?) OVER () <= ? AS fits
        FROM sized
      )
      SELECT id, listed_ms AS created_ms, entries, sequence, incarnation, redactions, position,
        state, last_activity, revision, wanted_at, size,
        CASE WHEN fits THEN head END AS head,
        CASE WHEN fits THEN ${history.sql} END AS history
      FROM fitting`,
    values: [...bytes.values, ...source.values, limit, limit, maxBytes, ...history.values],
  };
};

/** The session in a row of `loadSessions`. */
export const sessionOf = (
  row: Fields,
  { historyLimit = NEVER }: ReadSize,
): Result<SessionRecord, CorruptRecord> =>
  sessionIn(row, row, Math.min(historyLimit, Number(row['entries'])));
