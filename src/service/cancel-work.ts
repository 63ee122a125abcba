import { err, type Result } from 'neverthrow';
import { parseCancel } from '../input/session-input.js';
import { cancelState } from '../session/claim-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { StateRecord } from '../session/session-record.js';
import type { SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';
import { updateState } from './update-state.js';

/**
 * Options of `cancel`.
 *
 * @example
 * ```ts
 * const { fencingToken } = await sessions.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
 * await sessions.orThrow.cancel(id, { reason: 'hung up' });
 * const renewed = await sessions.renew(id, { fencingToken, seconds: 30 });
 * const error = renewed.isErr() ? renewed.error : undefined;
 * if (error?.type === 'cancelled') console.log(error.reason); // hung up
 * ```
 */
export interface CancelOptions {
  /** For the worker, 1 to 256 characters: the `reason` of its error `cancelled`. Default: none. */
  readonly reason?: string;
}

export const cancelWork = async (
  settings: Settings,
  key: SessionKey,
  options: unknown,
): Promise<Result<undefined, OperationErrors['cancel']>> => {
  const read = parseCancel(options);
  if (read.isErr()) return err(read.error);
  const { reason } = read.value;
  const updated = await updateState<StateRecord, OperationErrors['cancel']>(
    settings,
    key,
    (current, now) => cancelState(current, reason, now),
  );
  return updated.map(() => undefined);
};
