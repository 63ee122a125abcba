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
const historyBytes = (prefix: string, { historyLimit }: ReadSize): Query => {
  if (historyLimit === undefined) return { sql: 'session.bytes', values: [] };
  if (historyLimit === 0) return { sql: '0', values: [] };
  return {
    sql: `CASE
        WHEN session.entries <= ? THEN session.bytes
        ELSE (
          SELECT sum(latest.bytes)
          FROM (
            SELECT entry.bytes
            FROM ${prefix}entries AS entry
            WHERE entry.session = session.number
            ORDER BY entry.position DESC
            LIMIT ?
          ) AS latest
        )
      END`,
    values: [historyLimit, historyLimit],
  };
};

/** The last `historyLimit` entries of a session of the table `sized`, in their order. */
const historyOf = (prefix: string, { historyLimit }: ReadSize): Query => {
  if (historyLimit === 0) return { sql: 'NULL', values: [] };
  const aggregated = (latest: string): string => `(
        SELECT string_agg(latest.entry, ',' ORDER BY latest.position)
        FROM (${latest}) AS latest
      )`;
  const entries = `
    SELECT entry.position, entry.entry
    FROM ${prefix}entries AS entry
    WHERE entry.session = sized.number`;
  if (historyLimit === undefined) return { sql: aggregated(entries), values: [] };
  const latest = `${entries} ORDER BY entry.position DESC LIMIT ?`;
  return { sql: aggregated(latest), values: [historyLimit] };
};

/**
 * A query that finds sessions: their numbers, or with `isWhole` their rows, so that these need no
 * second lookup.
 */
export interface Source extends Query {
  readonly isWhole: boolean;
  /** The time by which they are sorted. Default: that of their creation. */
  readonly time?: string;
}

/** The sessions to load; without a limit, all that the source finds. */
type Loaded = ReadSize & Partial<Pick<PageRange, 'limit' | 'order'>>;

/** An expression for the place of a session in the order of its page. */
const placeOf = (time: string, range: Loaded): string => {
  if (range.limit === undefined) return '1';
  const direction = directionOf(range);
  return `row_number() OVER (ORDER BY ${time} ${direction}, session.id ${direction})`;
};

/** The condition of a session that is loaded, and the table that it needs. */
const fitOf = ({ limit, maxBytes }: Loaded) => {
  let isOnPage: Query = { sql: 'true', values: [] };
  if (limit !== undefined) isOnPage = { sql: 'place <= ?', values: [limit] };
  if (maxBytes === undefined) return { fits: isOnPage, table: '', join: '', values: [] };
  return {
    fits: { sql: `is_small AND ${isOnPage.sql}`, values: isOnPage.values },
    table: `, total AS (SELECT coalesce(sum(size), 0) <= ? AS is_small FROM sized WHERE ${isOnPage.sql})`,
    join: ', total',
    values: [maxBytes, ...isOnPage.values],
  };
};

/**
 * Reads the sessions that `source` finds, with the latest entries of their histories. If their
 * total size exceeds `maxBytes`, it reads only their sizes. Of a session after the page, which is
 * no part of the total, it reads only the position. A single statement, so that the result is
 * consistent.
 */
export const loadSessions = (prefix: string, source: Source, size: Loaded): Query => {
  const bytes = historyBytes(prefix, size);
  const history = historyOf(prefix, size);
  const { fits, table, join, values } = fitOf(size);
  const time = source.time ?? 'session.created_ms';
  const joined = `source JOIN ${prefix}sessions AS session USING (number)`;
  const sessions = source.isWhole ? 'source AS session' : joined;
  return {
    sql: `
      WITH source AS (${source.sql}),
      sized AS (
        SELECT session.number, session.id, ${time} AS created_ms, ${placeOf(time, size)} AS place,
          session.entries, session.sequence, session.incarnation, session.redactions,
          session.position, session.state,
          session.last_activity, session.revision, session.wanted_at, session.head,
          ${FRAME_BYTES} + octet_length(session.head) + octet_length(session.state) + ${bytes.sql} AS size
        FROM ${sessions}
      )${table}
      SELECT id, created_ms, entries, sequence, incarnation, redactions, position, state,
        last_activity, revision, wanted_at, size,
        CASE WHEN ${fits.sql} THEN head END AS head,
        CASE WHEN ${fits.sql} THEN ${history.sql} END AS history
      FROM sized${join}`,
    values: [
      ...source.values,
      ...bytes.values,
      ...values,
      ...fits.values,
      ...fits.values,
      ...history.values,
    ],
  };
};

/** The session in a row of `loadSessions`. */
export const sessionOf = (
  row: Fields,
  { historyLimit = NEVER }: ReadSize,
): Result<SessionRecord, CorruptRecord> =>
  sessionIn(row, row, Math.min(historyLimit, Number(row['entries'])));
