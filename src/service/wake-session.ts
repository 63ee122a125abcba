import { err, type Result } from 'neverthrow';
import { parseWake } from '../input/session-input.js';
import { wakeState } from '../session/claim-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { StateRecord } from '../session/session-record.js';
import type { SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';
import { updateState } from './update-state.js';

/** Options of `wake`. */
export interface WakeOptions {
  /** From when on the session wants a worker: an RFC 3339 text or a `Date`. Default: now. */
  readonly at?: string | Date;
}

export const wakeSession = async (
  settings: Settings,
  key: SessionKey,
  options: unknown,
): Promise<Result<undefined, OperationErrors['wake']>> => {
  const time = settings.now();
  if (time.isErr()) return err(time.error);
  const at = parseWake(options, time.value);
  if (at.isErr()) return err(at.error);
  const updated = await updateState<StateRecord, OperationErrors['wake']>(
    settings,
    key,
    (current, now) => wakeState(current, at.value, now),
  );
  return updated.map(() => undefined);
};
