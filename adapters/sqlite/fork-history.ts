import type { Fields } from '../../src/input/parse-fields.js';
import { entriesUpToCurrent } from '../../src/session/history-positions.js';
import type { SessionOrigin } from '../../src/session/session.js';
import type { Inserted, Opening } from '../../src/store/session-store.js';
import type { Connection } from './connection.js';
import { positionsOf } from './stored-positions.js';

/** The part of a history that a fork begins with. */
interface Copy {
  readonly entries: number;
  readonly bytes: number;
  readonly origin: SessionOrigin;
}

/** The history of the session in a row up to a position, to copy into a fork, or why it cannot be copied. */
export const forkHistory = (
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
