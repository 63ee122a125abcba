import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { CorruptRecord } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { Admit, ReadSize } from '../../src/store/session-store.js';
import type { Query } from '../sql/page-query.js';
import { FRAME_BYTES, sessionIn } from '../sql/session-rows.js';
import type { Answer } from './call.js';

/** Maximum bytes of sessions that are read in the same round trip as their size. */
const BYTES_AT_ONCE = 262_144;

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

/**
 * Reads the sessions that `source` finds, with the latest entries of their histories. If their total size exceeds
 * `maxBytes`, it reads only their sizes. A single statement, so that the result is consistent.
 */
export const loadSessions = (prefix: string, source: Source, size: ReadSize, maxBytes: number): Query => {
  const { start, bytes, values } = startOf(prefix, size);
  const history = `CASE WHEN fits AND start < entries THEN (
      SELECT string_agg(entry.entry, ',' ORDER BY entry.entry_number) FROM ${prefix}entries AS entry
        WHERE entry.session = sized.number AND entry.entry_number > sized.start AND entry.entry_number <= sized.entries
    ) END`;
  return {
    sql: `WITH source AS (${source.sql}),
      sized AS (
        SELECT session.number, session.id, ${source.time ?? 'session.created_ms'} AS created_ms, session.entries, session.sequence, session.incarnation,
          session.state, session.last_activity, session.head, ${start} AS start,
          ${FRAME_BYTES} + octet_length(session.head) + session.bytes - ${bytes} AS size
        FROM ${source.isWhole ? 'source AS session' : `source JOIN ${prefix}sessions AS session USING (number)`}
      ),
      fitting AS (SELECT coalesce(sum(size), 0) <= ? AS fits FROM sized)
    SELECT id, created_ms, entries, sequence, incarnation, state, last_activity, size, fits, start,
      CASE WHEN fits THEN head END AS head, ${size.historyLimit === 0 ? 'NULL' : history} AS history
    FROM sized, fitting`,
    values: [...source.values, ...values, maxBytes],
  };
};

/** The session in a row of `loadSessions`. */
export const sessionOf = (row: Fields): Result<SessionRecord, CorruptRecord> =>
  sessionIn(row, row, Number(row['entries']) - Number(row['start']));

/**
 * Reads small sessions in one round trip, and larger ones after `admit` has accepted their bytes. `counted` leaves out
 * rows that are not part of the result.
 */
export const readAdmitted = async <E, F>(
  read: (maxBytes: number) => Answer<readonly Fields[], F>,
  admit: Admit<E> | undefined,
  counted: (rows: readonly Fields[]) => readonly Fields[] = (rows) => rows,
): Answer<readonly Fields[], E | F> => {
  let maxBytes = admit === undefined ? Number.MAX_SAFE_INTEGER : BYTES_AT_ONCE;
  for (let isAdmitted = false; ; isAdmitted = true) {
    const result = await read(maxBytes);
    if (result.isErr()) return err(result.error);
    const rows = counted(result.value);
    const isRead = rows.every((row) => row['fits'] === true);
    const bytes = rows.reduce((sum, row) => sum + Number(row['size']), 0);
    if (rows.length > 0 && !(isRead && isAdmitted)) {
      const refusal = admit?.(bytes, rows.length);
      if (refusal !== undefined) return err(refusal);
    }
    if (isRead) return ok(result.value);
    // Leaves room for entries that other callers append in between.
    maxBytes = bytes * 2;
  }
};
