import type { Fields } from '../../src/input/parse-fields.js';
import type { HistoryPositions } from '../../src/session/history-positions.js';
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
