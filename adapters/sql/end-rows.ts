import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { Fields } from '../../src/input/values.js';
import type { EndedRecord, UnreportedEnd } from '../../src/store/end-queue.js';
import { unescapeName } from '../../src/store/escape-name.js';
import { labelsOf } from '../../src/store/label-texts.js';
import { decodeState } from '../../src/store/stored-json.js';
import { unreadable } from './session-rows.js';

/**
 * What an end is reported from, in a row of `ends` with the columns of its session: what remains of a removed one, or `session_state`
 * and `session_labels`.
 */
const endedIn = (id: string, row: Fields): Result<EndedRecord | undefined, StoreError> => {
  const isRemoved = row['removed_ms'] !== null;
  const text = row[isRemoved ? 'state' : 'session_state'];
  if (!isRemoved && typeof text !== 'string') return ok(undefined);
  // No report tells of the last activity.
  const state = decodeState(text, 0);
  if (state === undefined) return err(unreadable(id, 'state'));
  const labels = row[isRemoved ? 'labels' : 'session_labels'];
  return ok({
    state,
    ...(typeof labels === 'string' && labels !== '' && { labels: labelsOf(labels.split(' ')) }),
    ...(isRemoved && { removedAt: Number(row['removed_ms']) }),
  });
};

export const unreportedEndOf = (row: Fields): UnreportedEnd => {
  const id = unescapeName(String(row['id']));
  return {
    tenant: unescapeName(String(row['tenant'])),
    id,
    endId: String(row['birth']),
    dueAt: Number(row['due_at']),
    ended: endedIn(id, row),
  };
};
