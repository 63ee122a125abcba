import { err, ok, type Result } from 'neverthrow';
import {
  type InvalidTransition,
  invalidTransition,
  type SessionCommand,
  type SessionStatus,
  type TransitionRow,
  type TransitionTarget,
  transitions,
} from './session-status.js';

/**
 * The target of `command` in the status `from`.
 *
 * @example
 * ```ts
 * const paused = transition('ACTIVE', 'pause');
 * if (paused.isOk()) console.log(paused.value); // { status: 'PAUSED' }
 * console.log(transition('IDLE', 'pause').isErr()); // true
 * ```
 */
export const transition = (
  from: SessionStatus,
  command: SessionCommand,
): Result<TransitionTarget, InvalidTransition> => {
  // A store that breaks its contract may return any status.
  const targets: TransitionRow = { ...transitions[from] };
  const target = targets[command];
  if (target === undefined || !Object.hasOwn(targets, command))
    return err(invalidTransition(from, command));
  return ok(target);
};
