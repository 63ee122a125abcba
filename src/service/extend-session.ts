import { err, type Result } from 'neverthrow';
import { allowedMsOf } from '../input/input-policy.js';
import { parseExtend } from '../input/session-input.js';
import { extendState } from '../session/extend-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionState } from '../session/session.js';
import type { StateRecord } from '../session/session-record.js';
import type { SessionKey } from '../store/session-store.js';
import { checkCommand, parseFencedOptions, resultOfCommand } from './check-command.js';
import type { Settings } from './settings.js';
import { updateState } from './update-state.js';

/** Input of `extend`. */
export interface ExtendInput {
  /**
   * The new maximum of seconds ACTIVE, including the seconds already used: more than these, and at
   * most `limits.timeLimit`. 0 for `limits.timeLimit` of the host, or for no limit if the host has
   * set none.
   */
  readonly timeLimit: number;
}

export const extendSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
  options: unknown,
): Promise<Result<SessionState, OperationErrors['extend']>> => {
  const extension = parseExtend(input, settings.policy.limits);
  if (extension.isErr()) return err(extension.error);
  const read = parseFencedOptions(settings, key, options);
  if (read.isErr()) return err(read.error);
  const { timeLimit } = extension.value;
  const [command, limitMs] = [`extend-${timeLimit}`, allowedMsOf(settings.policy, timeLimit)];
  const { operationId } = read.value;
  const extend = (
    current: StateRecord,
    now: number,
  ): Result<StateRecord, OperationErrors['extend']> =>
    checkCommand(key, command, read.value, current, now) ??
    extendState(current, { now, limitMs, command, operationId });
  const updated = await updateState(settings, key, extend);
  return updated.map((after) => resultOfCommand(key, read.value, after));
};
