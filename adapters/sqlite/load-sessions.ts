import type { Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { CorruptRecord } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { ReadSize } from '../../src/store/session-store.js';
import { NEVER } from '../shared/never.js';
import type { Query } from '../sql/query.js';
import { FRAME_BYTES, sessionIn } from '../sql/session-rows.js';
import type { Connection } from './connection.js';

/** The bytes of the last `historyLimit` entries. */
const historyBytes = ({ historyLimit }: ReadSize): Query => {
  if (historyLimit === undefined) return { sql: 'bytes', values: [] };
  if (historyLimit === 0) return { sql: '0', values: [] };
  const latest = `
    SELECT bytes
    FROM $entries
    WHERE session = number
    ORDER BY position DESC
    LIMIT ?`;
  return { sql: `(SELECT coalesce(sum(bytes), 0) FROM (${latest}))`, values: [historyLimit] };
};

/**
 * Reads the small columns of sessions, the time by which they are sorted, and the bytes to read.
 * `from` names the table `session`.
 */
export const selectRows = (size: ReadSize, from: Query, time = 'session.created_ms'): Query => {
  const { sql, values } = historyBytes(size);
  return {
    sql: `
      SELECT number, session.tenant AS tenant, ${time} AS created_ms, session.id AS id,
        due_at, wake_at, wanted_at, state, last_activity, revision, entries, sequence, incarnation,
        redactions, position,
        ${FRAME_BYTES} + head_bytes + length(CAST(state AS BLOB)) + ${sql} AS size
      FROM ${from.sql}`,
    values: [...values, ...from.values],
  };
};

/** The entries of a history in their order, after a position. */
const historyAfter = (position: string) => `
  SELECT group_concat(entry)
  FROM (
    SELECT entry
    FROM $entries
    WHERE session = number AND position > ${position}
    ORDER BY position
  )`;
const BEFORE_THE_LATEST = `coalesce((
  SELECT position
  FROM $entries
  WHERE session = number
  ORDER BY position DESC
  LIMIT 1 OFFSET ?
), 0)`;
const LARGE = `
  FROM $sessions JOIN $heads ON session = number
  WHERE number IN (SELECT value FROM json_each(?))`;
const LOAD = `SELECT number, head, (${historyAfter('0')}) AS history ${LARGE}`;
const LOAD_LATEST = `SELECT number, head, (${historyAfter(BEFORE_THE_LATEST)}) AS history ${LARGE}`;
const LOAD_HEADS = `SELECT number, head ${LARGE}`;

/** The query of what is large in sessions, by their numbers as JSON. */
const loadOf = ({ historyLimit }: ReadSize, numbers: string): Query => {
  if (historyLimit === undefined) return { sql: LOAD, values: [numbers] };
  if (historyLimit === 0) return { sql: LOAD_HEADS, values: [numbers] };
  return { sql: LOAD_LATEST, values: [historyLimit, numbers] };
};

/** Reads the sessions of rows of `selectRows`, in their order and within a transaction. */
export const loadSessions = (
  connection: Connection,
  rows: readonly Fields[],
  size: ReadSize,
): readonly Result<SessionRecord, CorruptRecord>[] => {
  if (rows.length === 0) return [];
  const { historyLimit: most = NEVER } = size;
  const numbers = new Set(rows.map(({ number }) => Number(number)));
  const load = loadOf(size, JSON.stringify([...numbers]));
  const loaded = connection.query(load, ({ number }) => numbers.has(Number(number)));
  const large = new Map(loaded.map((row) => [Number(row['number']), row]));
  const sessionOf = (row: Fields) =>
    sessionIn(row, large.get(Number(row['number'])) ?? {}, Math.min(most, Number(row['entries'])));
  return rows.map(sessionOf);
};
