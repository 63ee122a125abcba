import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { UnleasedPage, UnleasedRange } from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { nextIn, noLeaseIndex, unleasedPositions } from '../sql/unleased-positions.js';
import { type Connection, hasKey, PREFIX } from './connection.js';
import { loadSessions, selectRows } from './load-sessions.js';

const LIGHT = { historyLimit: 0 };

/** Reads sessions that nobody holds, by their index. */
export const readUnleased = (
  connection: Connection,
  tenant: string,
  range: UnleasedRange,
): Result<UnleasedPage, StoreError> =>
  connection.read(({ leaseIndex }): Result<UnleasedPage, StoreError> => {
    if (!leaseIndex) return err(noLeaseIndex('SqliteSessionStore'));
    const owner = hasKey({ tenant: escapeName(tenant) });
    const positions = connection.query(unleasedPositions(PREFIX, tenant, range), owner);
    const numbers = positions.slice(0, range.limit).map(({ number }) => Number(number));
    const listed = {
      sql: 'json_each(?) AS listed JOIN colloquy_sessions AS session ON number = value ORDER BY key',
      values: [JSON.stringify(numbers)],
    };
    const rows = connection.query(selectRows(LIGHT, listed), owner);
    const sessions = loadSessions(connection, rows, LIGHT);
    return ok({
      records: sessions.flatMap((session) => (session.isOk() ? [session.value] : [])),
      unreadable: sessions.flatMap((session) => (session.isErr() ? [session.error.id] : [])),
      ...nextIn(positions, range.limit),
    });
  });
