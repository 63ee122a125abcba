import type { Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { CorruptRecord } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { PageRange, ReadSize } from '../../src/store/session-store.js';
import type { Query } from '../sql/page-query.js';
import { FRAME_BYTES, sessionIn } from '../sql/session-rows.js';

/** The position before the entries to read, and the bytes of the history up to it. */
const startOf = (prefix: string, { historyLimit }: ReadSize) => {
  if (historyLimit === undefined) return { start: '0', bytes: '0', values: [] };
  if (historyLimit === 0) return { start: 'session.entries', bytes: 'session.bytes', values: [] };
  return {
    start: 'greatest(0, session.entries - ?)',
    bytes: `coalesce((
        SELECT entry.bytes FROM ${prefix}entries AS entry
          WHERE entry.session = session.number AND entry.entry_number = session.entries - ?
      ), 0)`,
    values: [historyLimit, historyLimit],
  };
};

/** A query that finds sessions: their numbers, or with `isWhole` their rows, so that these need no second lookup. */
export interface Source extends Query {
  readonly isWhole: boolean;
  /** The time by which they are sorted. Default: that of their creation. */
  readonly time?: string;
}

/** The sessions to load; without a limit, all that the source finds. */
type Loaded = ReadSize & Partial<Pick<PageRange, 'limit' | 'order'>>;

/** An expression for the place of a session in the order of its page. */
const placeOf = (time: string, { limit, order }: Loaded): string => {
  if (limit === undefined) return '1';
  const direction = order === 'oldest' ? '' : 'DESC';
  return `row_number() OVER (ORDER BY ${time} ${direction}, session.id ${direction})`;
};

/** The condition of a session that is loaded, and the table that it needs. */
const fitOf = ({ limit, maxBytes }: Loaded) => {
  const isOnPage: Query = limit === undefined ? { sql: 'true', values: [] } : { sql: 'place <= ?', values: [limit] };
  if (maxBytes === undefined) return { fits: isOnPage, table: '', join: '', values: [] };
  return {
    fits: { sql: `is_small AND ${isOnPage.sql}`, values: isOnPage.values },
    table: `, total AS (SELECT coalesce(sum(size), 0) <= ? AS is_small FROM sized WHERE ${isOnPage.sql})`,
    join: ', total',
    values: [maxBytes, ...isOnPage.values],
  };
};

/**
 * Reads the sessions that `source` finds, with the latest entries of their histories. If their total size exceeds
 * `maxBytes`, it reads only their sizes. Of a session after the page, which is no part of the total, it reads only the
 * position. A single statement, so that the result is consistent.
 */
export const loadSessions = (prefix: string, source: Source, size: Loaded): Query => {
  const { start, bytes, values } = startOf(prefix, size);
  const { fits, table, join, values: fitValues } = fitOf(size);
  const time = source.time ?? 'session.created_ms';
  const history = `CASE WHEN ${fits.sql} AND start < entries THEN (
      SELECT string_agg(entry.entry, ',' ORDER BY entry.entry_number) FROM ${prefix}entries AS entry
        WHERE entry.session = sized.number AND entry.entry_number > sized.start AND entry.entry_number <= sized.entries
    ) END`;
  const isLight = size.historyLimit === 0;
  return {
    sql: `WITH source AS (${source.sql}),
      sized AS (
        SELECT session.number, session.id, ${time} AS created_ms, ${placeOf(time, size)} AS place, session.entries, session.sequence, session.incarnation,
          session.state, session.last_activity, session.head, ${start} AS start,
          ${FRAME_BYTES} + octet_length(session.head) + session.bytes - ${bytes} AS size
        FROM ${source.isWhole ? 'source AS session' : `source JOIN ${prefix}sessions AS session USING (number)`}
      )${table}
    SELECT id, created_ms, entries, sequence, incarnation, state, last_activity, size, start,
      CASE WHEN ${fits.sql} THEN head END AS head, ${isLight ? 'NULL' : history} AS history
    FROM sized${join}`,
    values: [...source.values, ...values, ...fitValues, ...fits.values, ...(isLight ? [] : fits.values)],
  };
};

/** The session in a row of `loadSessions`. */
export const sessionOf = (row: Fields): Result<SessionRecord, CorruptRecord> =>
  sessionIn(row, row, Number(row['entries']) - Number(row['start']));
