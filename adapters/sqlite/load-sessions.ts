import type { Result } from 'neverthrow';
import type { CorruptRecord } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { ReadSize } from '../../src/store/session-store.js';
import type { Query } from '../sql/query.js';
import { FRAME_BYTES, sessionOf } from '../sql/session-rows.js';
import { NEVER } from '../stored/infinite-times.js';
import { parseStored } from '../stored/json.js';
import type { Connection } from './connection.js';

const LATEST_BYTES = `(
  SELECT coalesce(sum(bytes), 0)
  FROM (SELECT bytes FROM $entries WHERE session = number ORDER BY position DESC LIMIT ?)
)`;

const historyAfter = (position: string) => `(
  SELECT group_concat(entry)
  FROM (
    SELECT entry
    FROM $entries
    WHERE session = number AND position > ${position}
    ORDER BY position
  )
)`;
const BEFORE_THE_LATEST = `coalesce((
  SELECT position
  FROM $entries
  WHERE session = number
  ORDER BY position DESC
  LIMIT 1 OFFSET ?
), 0)`;

const NUMBERS = [
  ...['last_activity', 'revision', 'asked_at', 'inbox'],
  ...['entries', 'position', 'redactions', 'sequence'],
].map((column) => `'"${column}":' || ${column} || ','`);
const RECORD = [
  ...[`'{"id":"' || session.id || '",'`, ...NUMBERS, `'"incarnation":"' || incarnation || '"'`],
  ...[`',"state":' || state`, `',"head":' || head`, `',"history":['`],
].join(' || ');
const FROM = 'FROM $sessions AS session CROSS JOIN $heads AS head ON head.session = number';

/**
 * A record is one JSON value, because drivers take longer for each column than SQLite for the JSON.
 */
const statementsOf = (bytes: string, history: string) => {
  const size = `${FRAME_BYTES} + head_bytes + length(CAST(state AS BLOB)) + ${bytes}`;
  const record = `${RECORD} || coalesce(${history}, '') || ']}'`;
  return {
    /** An expression for the bytes of `session`. */
    size,
    /** Without the record if it is larger than a number of bytes. */
    find: `
      SELECT tenant, id, ${size} AS size, CASE WHEN ${size} <= ? THEN ${record} END AS record
      ${FROM}
      WHERE tenant = ? AND id = ?`,
    /** All records as one JSON value, by the numbers of the sessions. */
    load: `
      SELECT ? AS asked, '[' || group_concat('[' || number || ',' || ${record} || ']') || ']' AS records
      ${FROM}
      WHERE number IN (SELECT value FROM json_each(?))`,
  };
};

const whole = statementsOf('session.bytes', historyAfter('0'));
const light = statementsOf('0', "''");
const latest = statementsOf(LATEST_BYTES, historyAfter(BEFORE_THE_LATEST));

const statementsFor = ({ historyLimit }: ReadSize): typeof whole => {
  if (historyLimit === undefined) return whole;
  return historyLimit === 0 ? light : latest;
};

/** The values in each size and each record of the statements. */
const limitIn = ({ historyLimit }: ReadSize): readonly number[] =>
  historyLimit === undefined || historyLimit === 0 ? [] : [historyLimit];

/** An expression for the bytes to read of `session`. */
export const sizeOf = (size: ReadSize): Query => ({
  sql: statementsFor(size).size,
  values: limitIn(size),
});

export const findQuery = (size: ReadSize, key: readonly string[]): Query => {
  const limit = limitIn(size);
  const values = [...limit, ...limit, size.maxBytes ?? NEVER, ...limit, ...key];
  return { sql: statementsFor(size).find, values };
};

/** Undefined if a record cannot be read. */
const recordsOf = (
  connection: Connection,
  numbers: readonly number[],
  size: ReadSize,
): ReadonlyMap<number, unknown> | undefined => {
  const asked = JSON.stringify(numbers);
  const { load } = statementsFor(size);
  const row = connection.find(load, { asked }, ...limitIn(size), asked);
  const records = parseStored(row?.['records']);
  return Array.isArray(records) ? new Map(records) : undefined;
};

/**
 * Reads the sessions of rows with a `number` and an `id`, within a transaction. Reads all with one
 * statement, or one by one if a record cannot be read.
 */
export const loadSessions = (
  connection: Connection,
  rows: readonly Fields[],
  size: ReadSize,
): readonly Result<SessionRecord, CorruptRecord>[] => {
  if (rows.length === 0) return [];
  const numbers = rows.map(({ number }) => Number(number));
  const records = recordsOf(connection, numbers, size);
  if (records === undefined && rows.length > 1)
    return rows.flatMap((row) => loadSessions(connection, [row], size));
  return rows.map(({ id }, at) => sessionOf(id, records?.get(numbers[at] ?? 0), size));
};
