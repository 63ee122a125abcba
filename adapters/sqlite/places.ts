import type { Fields } from '../../src/input/parse-fields.js';
import { entriesUpToCurrent, type Places } from '../../src/session/places.js';
import type { SessionOrigin } from '../../src/session/session.js';
import type { Inserted, Opening } from '../../src/store/session-store.js';
import type { Connection } from './connection.js';

/** The place of an entry in a history, and the bytes up to its end. */
export interface Place {
  readonly place: number;
  readonly position: number;
  readonly bytes: number;
}

const ENTRY = 'SELECT session, place, position, bytes FROM colloquy_entries WHERE session = ? AND place = ?';

/** The places of the entries of a session, and the bytes of their JSON: each entry is looked up once. */
export interface StoredPlaces extends Places {
  /** Bytes of the JSON of the first entries. */
  readonly bytesUpTo: (number: number) => number;
}

/** The places in a session, by a row with `number`, `entries` and `position`. */
export const placesOf = (connection: Connection, row: Fields): StoredPlaces => {
  const session = Number(row['number']);
  const known = new Map<number, Fields | undefined>();
  const entryAt = (place: number): Fields | undefined => {
    if (!known.has(place)) known.set(place, connection.find(ENTRY, { session, place }));
    return known.get(place);
  };
  return {
    entries: Number(row['entries']),
    end: Number(row['position']),
    positionOf: (place) => Number(entryAt(place)?.['position'] ?? 0),
    bytesUpTo: (place) => (place === 0 ? 0 : Number(entryAt(place)?.['bytes'] ?? 0)),
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
  const places = placesOf(connection, row);
  const upTo = position ?? places.end;
  const entries = upTo > places.end ? undefined : entriesUpToCurrent(places, upTo);
  if (entries === undefined) return 'invalid_position';
  const bytes = places.bytesUpTo(entries);
  return bytes > maxBytes ? 'too_large' : { entries, bytes, origin: { id, position: upTo } };
};
