import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { EndedRecord } from '../../src/session/ended-session.js';
import type { StoreError } from '../../src/session/errors.js';
import type { UnreportedEnd } from '../../src/store/end-queue.js';
import { unescapeName } from '../shared/escape-name.js';
import { decodeState } from '../shared/stored-json.js';
import { unreadable } from './session-rows.js';

/**
 * The data for the report of an end, in a row of `ends`: the remains of a removed session, or `session_state` and
 * `session_activity` of a stored one.
 */
const endedIn = (id: string, row: Fields): Result<EndedRecord | undefined, StoreError> => {
  const isRemoved = row['removed_ms'] !== null;
  const text = row[isRemoved ? 'state' : 'session_state'];
  if (!isRemoved && typeof text !== 'string') return ok(undefined);
  const state = decodeState(text, Number(row[isRemoved ? 'last_activity' : 'session_activity']));
  if (state === undefined) return err(unreadable(id, 'state'));
  return ok({ state, ...(isRemoved && { removedAt: Number(row['removed_ms']) }) });
};

export const unreportedEndOf = (row: Fields): UnreportedEnd => {
  const id = unescapeName(String(row['id']));
  return {
    tenant: unescapeName(String(row['tenant'])),
    id,
    endId: String(row['incarnation']),
    dueAt: Number(row['due_at']),
    ended: endedIn(id, row),
  };
};
