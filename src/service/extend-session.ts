import { err, type Result } from 'neverthrow';
import { parseExtend } from '../input/command-inputs.js';
import { allowedMsOf } from '../input/input-policy.js';
import { digestOf } from '../session/digest-of.js';
import { extendState } from '../session/extend-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Counters, SessionState } from '../session/session.js';
import type { SessionKey } from '../store/session-store.js';
import { applyCommand, parseFencedOptions } from './apply-command.js';
import type { Settings } from './settings.js';

/** Input of `extend`: a time limit, a budget, or both. */
export interface ExtendInput {
  /**
   * The new maximum of seconds ACTIVE, including the seconds already used: more than these, and at
   * most `limits.timeLimit`. 0 for `limits.timeLimit` of the host, or for no limit if the host has
   * set none.
   */
  readonly timeLimit?: number | undefined;
  /**
   * New counter budgets, each higher than what is used: whole numbers from 1. The budgets of other
   * counters stay. The session ends with the reason `budget` when one is reached.
   */
  readonly budget?: Counters | undefined;
}

export const extendSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
  options: unknown,
): Promise<Result<SessionState, OperationErrors['extend']>> => {
  const extension = parseExtend(input, settings.policy);
  if (extension.isErr()) return err(extension.error);
  const read = parseFencedOptions(settings, key, options);
  if (read.isErr()) return err(read.error);
  const { timeLimit, budget } = extension.value;
  const content = budget === undefined ? timeLimit : digestOf(JSON.stringify([timeLimit, budget]));
  const command = { command: `extend-${content}`, ...read.value };
  const limitMs = timeLimit === undefined ? undefined : allowedMsOf(settings.policy, timeLimit);
  return applyCommand(settings, key, command, (current, now) =>
    extendState(current, { ...command, now, limitMs, budget }),
  );
};
