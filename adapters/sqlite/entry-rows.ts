import type { Facts } from '../../src/store/judge.js';
import { isRedacted, redactedEntry } from '../../src/store/stored-entry.js';
import { decodeEntries, encodeEntry } from '../stored/json.js';
import { type Connection, hasKey } from './connection.js';

/*
 * One statement for all entries, because the driver takes longer for a call than SQLite for a row.
 */
const ADD = `
  INSERT INTO $entries (session, position, bytes, entry)
  SELECT ?, ? + key, length(CAST(value AS BLOB)) + 1, value
  FROM json_each(?)`;
const TAIL = `
  SELECT number, after, coalesce(sum(position > after), 0) AS entries,
    coalesce(sum((position > after) * bytes), 0) AS bytes,
    coalesce(min(position) <= after + 1, 0) AS has_entry
  FROM (SELECT ? AS number, ? AS after) LEFT JOIN $entries
    ON session = number AND position >= after`;
const DELETE_AFTER = 'DELETE FROM $entries WHERE session = ? AND position > ?';
const FIND_ENTRIES = `
  SELECT session, position, entry
  FROM $entries
  WHERE session = ? AND position IN (SELECT value FROM json_each(?))`;
const FIND_OPERATION = `
  SELECT session, operation, digest, position
  FROM $operations
  WHERE session = ? AND operation = ?`;
const ADD_OPERATION = `
  INSERT INTO $operations (session, operation, digest, position)
  VALUES (?, ?, ?, ?)`;
const REDACT = 'UPDATE $entries SET entry = ? WHERE session = ? AND position = ?';

export interface HistoryTail {
  readonly entries: number;
  /** Bytes of their JSON with a comma for each. */
  readonly bytes: number;
  /** Whether an entry has the position or the next one. */
  readonly hasEntry: boolean;
}

/* All functions need a transaction, and the number of the session. */

/** The entries take the positions after `position`. */
export const addEntries = (
  connection: Connection,
  session: number,
  position: number,
  texts: readonly string[],
): void => {
  if (texts.length > 0) connection.run(ADD, session, position + 1, JSON.stringify(texts));
};

export const tailAfter = (
  connection: Connection,
  session: number,
  position: number,
): HistoryTail => {
  const row = connection.find(TAIL, { number: session, after: position });
  const [entries, bytes] = [Number(row?.['entries']), Number(row?.['bytes'])];
  return { entries, bytes, hasEntry: Number(row?.['has_entry']) === 1 };
};

export const deleteAfter = (connection: Connection, session: number, position: number): void =>
  connection.run(DELETE_AFTER, session, position);

/**
 * A position without an entry belongs to a rewind or is superseded, so there is nothing to redact.
 * Returns whether anything was redacted; `undefined` if an entry cannot be read.
 */
export const redactEntries = (
  connection: Connection,
  session: number,
  positions: readonly number[],
): boolean | undefined => {
  const found = { sql: FIND_ENTRIES, values: [session, JSON.stringify(positions)] };
  let isChanged = false;
  for (const { position, entry: text } of connection.query(found, hasKey({ session }))) {
    const [entry] = decodeEntries(text) ?? [];
    if (entry === undefined) return undefined;
    if (isRedacted(entry)) continue;
    connection.run(REDACT, encodeEntry(redactedEntry(entry)), session, Number(position));
    isChanged = true;
  }
  return isChanged;
};

export const findOperation = (
  connection: Connection,
  session: number,
  operation: string,
): Facts['known'] => {
  const row = connection.find(FIND_OPERATION, { session, operation });
  return row && { digest: String(row['digest']), position: Number(row['position']) };
};

export const keepOperation = (
  connection: Connection,
  session: number,
  { id, digest, position }: NonNullable<Facts['known']> & { readonly id: string },
): void => connection.run(ADD_OPERATION, session, id, digest, position);
