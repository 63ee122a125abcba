import { err, ok, type Result } from 'neverthrow';
import { extendedBudget, reachedIn } from './budget.js';
import { type InvalidInput, invalidField } from './errors.js';
import { type NamedCommand, remember } from './remembered-operations.js';
import type { Counters } from './session.js';
import type { BudgetRecord, StateRecord } from './session-record.js';
import type { InvalidTransition } from './session-status.js';
import { activeMsAt, stateAt } from './time-limits.js';
import { transition } from './transition.js';

export interface Extension extends NamedCommand {
  readonly now: number;
  /** Maximum milliseconds ACTIVE, including the time already used; `Infinity` for no limit. */
  readonly limitMs?: number | undefined;
  readonly budget?: Counters | undefined;
}

const refusalOf = (
  { budget }: StateRecord,
  { limitMs = Number.POSITIVE_INFINITY, budget: limits = {} }: Extension,
  usedMs: number,
): InvalidInput | undefined => {
  if (limitMs <= usedMs) {
    const rule = `must be more than the ${usedMs / 1000} seconds that the session has been ACTIVE`;
    return invalidField('timeLimit', rule);
  }
  const [counter] = budget === undefined ? [] : reachedIn(budget.used, limits);
  if (counter === undefined) return undefined;
  return invalidField(`budget.${counter}`, 'must be more than the session has used');
};

export const extendState = (
  current: StateRecord,
  extension: Extension,
): Result<StateRecord, InvalidTransition | InvalidInput> => {
  const { now, budget: limits } = extension;
  const state = stateAt(current, now);
  return transition(state.status, 'extend').andThen(() => {
    const refusal = refusalOf(state, extension, activeMsAt(state, now));
    if (refusal !== undefined) return err(refusal);
    const { limitMs = state.limitMs } = extension;
    const budget: BudgetRecord | undefined = limits && extendedBudget(state.budget, limits);
    const deadline = state.since + (limitMs - state.activeMs);
    return ok(
      Object.freeze({
        ...state,
        lastActivityAt: now,
        limitMs,
        ...(state.status === 'ACTIVE' && { deadline }),
        ...(budget && { budget }),
        operations: remember(state, extension),
      }),
    );
  });
};
