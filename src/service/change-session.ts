import { err, ok, type Result } from 'neverthrow';
import { type ChangeError, notHolder, operationMismatch } from '../errors.js';
import type { ReadCommandOptions } from '../input/session-input.js';
import { isHeldWith } from '../session/hold.js';
import type { SessionState } from '../session/session.js';
import { progressAt } from '../session/session-at.js';
import type { StateRecord } from '../session/session-record.js';
import type { SessionCommand } from '../session/session-status.js';
import { advance, commandOf } from '../session/timeline.js';
import type { SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';
import { updateState } from './update-state.js';

/** Options of commands and of `append`. */
export interface OperationOptions {
  /**
   * Makes the call safe to repeat: an id that is unique among the operations on this session, 1 to 64 of the characters
   * `A-Z a-z 0-9 _ . ~ : -`. Another operation with the same id is `operation_mismatch`.
   */
  readonly operationId?: string;
  /** The fence of a hold: if it is not the current hold, the call is `not_holder`. Default: no check. */
  readonly fence?: number;
}

/** Applies a command, once per operation id. */
export const changeSession = async (
  settings: Settings,
  key: SessionKey,
  command: SessionCommand,
  { operationId, fence }: ReadCommandOptions,
): Promise<Result<SessionState, ChangeError>> => {
  const { idleTimeoutMs, retentionMs } = settings;
  const updated = await updateState<StateRecord, ChangeError>(settings, key, (current, now) => {
    const known = operationId === undefined ? undefined : commandOf(current, operationId);
    if (known !== undefined) return known === command ? ok(current) : err(operationMismatch(key.id));
    if (fence !== undefined && !isHeldWith(current, fence, now)) return err(notHolder(fence));
    return advance(current, command, { now, operationId, idleTimeoutMs, retentionMs });
  });
  return updated.map(({ state, now }) => progressAt(key.id, state, now));
};
