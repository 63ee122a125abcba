import type { Fields } from '../../src/input/parse-fields.js';
import { entriesUpToCurrent, type HistoryPositions } from '../../src/session/history-positions.js';
import type { SessionOrigin } from '../../src/session/session.js';
import type { Inserted, Opening } from '../../src/store/session-store.js';
import type { Connection } from './connection.js';

/** An entry by its number and its position, and the bytes up to its end. */
export interface EntryEnd {
  readonly number: number;
  readonly position: number;
  readonly bytes: number;
}

const ENTRY =
  'SELECT session, entry_number, position, bytes FROM colloquy_entries WHERE session = ? AND entry_number = ?';

/** The positions of the entries of a session, and the bytes of their JSON: each entry is looked up once. */
export interface StoredPositions extends HistoryPositions {
  /** Bytes of the JSON of the first entries. */
  readonly bytesUpTo: (number: number) => number;
}

/** The positions in a session, by a row with `number`, `entries` and `position`. */
export const positionsOf = (connection: Connection, row: Fields): StoredPositions => {
  const session = Number(row['number']);
  const known = new Map<number, Fields | undefined>();
  const entryAt = (number: number): Fields | undefined => {
    if (!known.has(number)) known.set(number, connection.find(ENTRY, { session, entry_number: number }));
    return known.get(number);
  };
  return {
    entries: Number(row['entries']),
    end: Number(row['position']),
    positionOf: (number) => Number(entryAt(number)?.['position'] ?? 0),
    bytesUpTo: (number) => (number === 0 ? 0 : Number(entryAt(number)?.['bytes'] ?? 0)),
  };
};

/** The part of a history that a fork begins with. */
interface Copy {
  readonly entries: number;
  readonly bytes: number;
  readonly origin: SessionOrigin;
}

/** The part of the history of the session in a row up to a position, or why it cannot be copied. */
export const copyOf = (
  connection: Connection,
  row: Fields | undefined,
  { id, position, maxBytes }: NonNullable<Opening['from']>,
): Copy | Extract<Inserted, string> => {
  if (row === undefined) return 'missing';
  const positions = positionsOf(connection, row);
  const upTo = position ?? positions.end;
  const entries = upTo > positions.end ? undefined : entriesUpToCurrent(positions, upTo);
  if (entries === undefined) return 'invalid_position';
  const bytes = positions.bytesUpTo(entries);
  return bytes > maxBytes ? 'too_large' : { entries, bytes, origin: { id, position: upTo } };
};
