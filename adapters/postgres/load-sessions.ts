import type { PageRange, ReadSize } from '../../src/store/session-store.js';
import { directionOf } from '../sql/page-query.js';
import type { Query } from '../sql/query.js';
import { FRAME_BYTES } from '../sql/session-rows.js';
import { NEVER } from '../stored/infinite-times.js';

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

const historyOf = ({ historyLimit }: ReadSize): Query => {
  if (historyLimit === 0) return { sql: "''", values: [] };
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

/** One JSON value, so that the client decodes one column a row, and parses once. */
const recordOf = (history: string): string => `concat(
        '{"id":"', id, '","entries":', entries, ',"sequence":', sequence, ',"position":', position,
        ',"incarnation":"', incarnation, '","redactions":', redactions,
        ',"last_activity":', last_activity, ',"revision":', revision, ',"asked_at":', asked_at,
        ',"inbox":', inbox,
        ',"state":', state, ',"head":', head, ',"history":[', ${history}, ']}'
      )`;

/** Tables and a condition, in which the table of sessions is `session`. */
export interface Source extends Query {
  readonly time?: string;
}

type Page = Pick<PageRange, 'limit' | 'order'>;

const placeOf = (time: string, page: Page | undefined): string => {
  if (page === undefined) return '1';
  const direction = directionOf(page);
  return `row_number() OVER (ORDER BY ${time} ${direction}, session.id ${direction})`;
};

/** Whether a session is on the page, and the complete page fits into `maxBytes`. */
const fitsOn = (page: Page | undefined, maxBytes: number): Query => {
  if (page === undefined) return { sql: 'size <= ?::bigint', values: [maxBytes] };
  return {
    sql: 'place <= ? AND sum(size) FILTER (WHERE place <= ?) OVER () <= ?',
    values: [page.limit, page.limit, maxBytes],
  };
};

/**
 * Reads the sessions of a source with the latest entries of their histories: all, or a page. If
 * their total size exceeds `maxBytes`, it reads only their sizes. Of the session after the page,
 * whose size does not count, it reads only the position. A single statement, so that the result is
 * consistent.
 */
export const loadSessions = (source: Source, size: ReadSize, page?: Page): Query => {
  const { time = 'session.created_ms' } = source;
  const bytes = historyBytes(size);
  const fits = fitsOn(page, size.maxBytes ?? NEVER);
  const history = historyOf(size);
  return {
    sql: `
      WITH sized AS (
        SELECT session.*, ${time} AS listed_ms, ${placeOf(time, page)} AS place,
          ${FRAME_BYTES} + octet_length(session.head) + octet_length(session.state)
            + ${bytes.sql} AS size
        FROM ${source.sql}
      ), fitting AS (
        SELECT *, ${fits.sql} AS fits
        FROM sized
      )
      SELECT id, listed_ms AS created_ms, size,
        CASE WHEN fits THEN ${recordOf(history.sql)} END AS record
      FROM fitting`,
    values: [...bytes.values, ...source.values, ...fits.values, ...history.values],
  };
};

export const SESSION_COLUMNS = ['id', 'created_ms', 'size', 'record'];
