import type { Fields } from '../../src/input/parse-fields.js';
import type { DueKey } from '../../src/store/session-store.js';
import { storedKeyOf } from '../sql/queue-query.js';
import type { Connection } from './connection.js';

const FIND = `
  SELECT tenant, id, number, incarnation, status, deadline, due_at, revision, wanted_at,
    last_activity, sequence, redactions, entries, position, bytes, state
  FROM $sessions
  WHERE tenant = ? AND id = ?`;

/**
 * The row of a session, or of what is left of a removed one, with all that a change of it needs.
 */
export const findRow = (connection: Connection, key: DueKey): Fields | undefined =>
  connection.find(FIND, storedKeyOf(key));
