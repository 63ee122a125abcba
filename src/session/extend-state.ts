import { err, ok, type Result } from 'neverthrow';
import { type InvalidInput, invalidInput } from './errors.js';
import type { StateRecord } from './session-record.js';
import type { InvalidTransition } from './session-status.js';
import { activeMsAt, remember, stateAt } from './state-at.js';
import { transition } from './transition.js';

/** The input of `extendState`. */
export interface Extension {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Maximum milliseconds ACTIVE, including the time already used; `Infinity` for no limit. */
  readonly limitMs: number;
  /** The name of the command with its input, to recognise a repeated call. */
  readonly command: string;
  readonly operationId: string | undefined;
}

/** The next state, with a new time limit. The status and its start stay the same. */
export const extendState = (
  current: StateRecord,
  { now, limitMs, command, operationId }: Extension,
): Result<StateRecord, InvalidTransition | InvalidInput> => {
  const state = stateAt(current, now);
  return transition(state.status, 'extend').andThen(() => {
    const usedMs = activeMsAt(state, now);
    if (limitMs <= usedMs) {
      const message = `must be more than the ${usedMs / 1000} seconds that the session has been ACTIVE`;
      return err(invalidInput([{ path: 'timeLimit', message }]));
    }
    return ok(
      Object.freeze({
        ...state,
        lastActivityAt: now,
        limitMs,
        deadline:
          state.status === 'ACTIVE' ? state.since + (limitMs - state.activeMs) : state.deadline,
        operations: remember(state.operations, command, operationId),
      }),
    );
  });
};
