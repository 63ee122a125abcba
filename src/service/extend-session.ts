import { err, type Result } from 'neverthrow';
import { allowedMsOf } from '../input/input-policy.js';
import { parseExtend } from '../input/session-input.js';
import { extendState } from '../session/extend-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionState } from '../session/session.js';
import type { SessionKey } from '../store/session-store.js';
import { applyCommand, parseFencedOptions } from './apply-command.js';
import type { Settings } from './settings.js';

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
  const command = { command: `extend-${timeLimit}`, ...read.value };
  const limitMs = allowedMsOf(settings.policy, timeLimit);
  return applyCommand(settings, key, command, (current, now) =>
    extendState(current, { ...command, now, limitMs }),
  );
};
