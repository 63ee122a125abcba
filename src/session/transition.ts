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
  const targets: TransitionRow = Object.hasOwn(transitions, from) ? transitions[from] : {};
  const target = Object.hasOwn(targets, command) ? targets[command] : undefined;
  return target === undefined ? err(invalidTransition(from, command)) : ok(target);
};
