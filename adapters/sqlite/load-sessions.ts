import { err, type Result } from 'neverthrow';
import { type Fields, isFields } from '../../src/input/parse-fields.js';
import type { CorruptRecord } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { ReadSize } from '../../src/store/session-store.js';
import { unescapeName } from '../shared/escape-name.js';
import { NEVER } from '../shared/never.js';
import { parseStored } from '../shared/stored-json.js';
import type { Query } from '../sql/query.js';
import { FRAME_BYTES, sessionIn, unreadable } from '../sql/session-rows.js';
import type { Connection } from './connection.js';

/** The bytes of the last `historyLimit` entries. */
const historyBytes = ({ historyLimit }: ReadSize): Query => {
  if (historyLimit === undefined) return { sql: 'session.bytes', values: [] };
  if (historyLimit === 0) return { sql: '0', values: [] };
  const latest = `
    SELECT bytes
    FROM $entries
    WHERE session = number
    ORDER BY position DESC
    LIMIT ?`;
  return { sql: `(SELECT coalesce(sum(bytes), 0) FROM (${latest}))`, values: [historyLimit] };
};

/** An expression for the bytes to read of `session`. */
export const sizeOf = (size: ReadSize): Query => {
  const { sql, values } = historyBytes(size);
  return { sql: `${FRAME_BYTES} + head_bytes + length(CAST(state AS BLOB)) + ${sql}`, values };
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

const historyOf = ({ historyLimit }: ReadSize): Query => {
  if (historyLimit === undefined) return { sql: `(${historyAfter('0')})`, values: [] };
  if (historyLimit === 0) return { sql: "''", values: [] };
  return { sql: `(${historyAfter(BEFORE_THE_LATEST)})`, values: [historyLimit] };
};

const NUMBERS = [
  ...['last_activity', 'revision', 'wanted_at'],
  ...['entries', 'position', 'redactions', 'sequence'],
].map((column) => `'"${column}":' || ${column} || ','`);

/**
 * An expression for a session as one JSON text with its numbers, which takes drivers less time than
 * many columns.
 */
export const recordOf = (size: ReadSize): Query => {
  const { sql, values } = historyOf(size);
  const parts = [
    ...["'{'", ...NUMBERS, `'"incarnation":"' || incarnation || '"'`],
    ...[`',"state":' || state`, `',"head":' || head`, `',"history":['`],
  ];
  return { sql: `${parts.join(' || ')} || coalesce(${sql}, '') || ']}'`, values };
};

/** The session in a row with an `id` and a `record`. */
export const sessionOf = (
  row: Fields,
  { historyLimit = NEVER }: ReadSize,
): Result<SessionRecord, CorruptRecord> => {
  const record = parseStored(row['record']);
  if (!isFields(record)) return err(unreadable(unescapeName(String(row['id'])), 'record'));
  const length = Math.min(historyLimit, Number(record['entries']));
  return sessionIn({ ...record, id: row['id'] }, record, length);
};

/**
 * Reads the sessions of rows with a `number` and an `id`, in their order and within a transaction.
 */
export const loadSessions = (
  connection: Connection,
  rows: readonly Fields[],
  size: ReadSize,
): readonly Result<SessionRecord, CorruptRecord>[] => {
  if (rows.length === 0) return [];
  const numbers = new Set(rows.map(({ number }) => Number(number)));
  const { sql, values } = recordOf(size);
  const load = {
    sql: `
      SELECT number, ${sql} AS record
      FROM $sessions AS session CROSS JOIN $heads AS head ON head.session = number
      WHERE number IN (SELECT value FROM json_each(?))`,
    values: [...values, JSON.stringify([...numbers])],
  };
  const loaded = connection.query(load, ({ number }) => numbers.has(Number(number)));
  const records = new Map(loaded.map(({ number, record }) => [Number(number), record]));
  return rows.map(({ number, id }) => sessionOf({ id, record: records.get(Number(number)) }, size));
};
