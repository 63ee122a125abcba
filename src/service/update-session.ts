import { err, ok, type Result } from 'neverthrow';
import { parseUpdate } from '../input/session-input.js';
import { digestOf } from '../session/digest-of.js';
import { conflict, type UpdateError } from '../session/errors.js';
import type { LabelChanges, SessionState } from '../session/session.js';
import type { StateRecord } from '../session/session-record.js';
import { endByClock } from '../session/state-at.js';
import { updateLabels } from '../session/update-labels.js';
import type { SessionKey } from '../store/session-store.js';
import { checkCommand, commandOptionsOf, resultOfCommand } from './check-command.js';
import type { Settings } from './settings.js';
import { updateState } from './update-state.js';

/** Input of `update`. */
export interface UpdateInput {
  /**
   * The labels to change, such as `{ title: 'Tax return', draft: null }`: a text sets a label, `null` removes it, and
   * the others stay. A session has at most 8.
   */
  readonly labels: LabelChanges;
}

/** Maximum number of attempts. An attempt fails if the clock has ended the session and the end is not stored yet. */
const MAX_ATTEMPTS = 3;

/** The end by the clock must be stored first, because the activity of an update would postpone it. */
const unstoredEnd = { type: 'unstored_end' } as const;

export const updateSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
  options: unknown,
): Promise<Result<SessionState, UpdateError>> => {
  const update = parseUpdate(input);
  if (update.isErr()) return err(update.error);
  const read = commandOptionsOf(settings, key, options);
  if (read.isErr()) return err(read.error);
  const changes = update.value;
  const command = `update-${digestOf(JSON.stringify(changes))}`;
  const { operationId } = read.value;
  const decide = (current: StateRecord, now: number): Result<StateRecord, UpdateError | typeof unstoredEnd> => {
    const checked = checkCommand(key, command, read.value, current, now);
    if (checked !== undefined) return checked;
    const updated = updateLabels(current, { now, changes, command, operationId });
    const isUnstored = updated.isOk() && updated.value !== current && endByClock(current, now) !== undefined;
    return isUnstored ? err(unstoredEnd) : updated;
  };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const updated = await updateState(settings, key, decide);
    if (updated.isOk()) return ok(resultOfCommand(key, read.value, updated.value));
    if (updated.error.type !== 'unstored_end') return err(updated.error);
    const ended = await updateState<StateRecord, never>(settings, key, (current, now) =>
      ok(endByClock(current, now) ?? current),
    );
    if (ended.isErr()) return err(ended.error);
  }
  return err(conflict(key.id));
};
