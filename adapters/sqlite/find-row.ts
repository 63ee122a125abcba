import type { Fields } from '../../src/input/parse-fields.js';
import type { SessionKey } from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import type { Connection } from './connection.js';

const FIND = `
  SELECT tenant, id, number, incarnation, status, deadline, due_at, revision, last_activity,
    sequence, redactions, entries, position, bytes, state
  FROM colloquy_sessions
  WHERE tenant = ? AND id = ?`;

/** The row of a session with all that a change of it needs. */
export const findRow = (connection: Connection, { tenant, id }: SessionKey): Fields | undefined =>
  connection.find(FIND, { tenant: escapeName(tenant), id: escapeName(id) });
