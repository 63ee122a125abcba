import type { Result } from 'neverthrow';
import { remember } from './remembered-operations.js';
import type { StateRecord } from './session-record.js';
import type { InvalidTransition, StatusCommand } from './session-status.js';
import { activeMsAt, stateAt } from './time-limits.js';
import { transition } from './transition.js';

export interface Change {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The caller's id for this change, to recognise a repeated call. */
  readonly operationId?: string | undefined;
}

/**
 * The next state by the transition table. A command that changes nothing returns `current` itself.
 */
export const changeStatus = (
  current: StateRecord,
  command: StatusCommand,
  change: Change,
): Result<StateRecord, InvalidTransition> => {
  const { now } = change;
  const state = stateAt(current, now);
  return transition(state.status, command).map((target): StateRecord => {
    if ('unchanged' in target) return state;
    const activeMs = activeMsAt(state, now);
    const { limitMs, terms } = state;
    const isFirstStart = target.status === 'ACTIVE' && state.startedAt === undefined;
    const untilNext = {
      IDLE: terms.idleTimeoutMs,
      ACTIVE: limitMs - activeMs,
      PAUSED: terms.idleTimeoutMs,
      TERMINATED: terms.retentionMs,
    };
    return Object.freeze({
      ...state,
      ...target,
      since: now,
      ...(isFirstStart && { startedAt: now }),
      lastActivityAt: now,
      activeMs,
      deadline: now + untilNext[target.status],
      operations: remember(state, { command, operationId: change.operationId }),
    });
  });
};
