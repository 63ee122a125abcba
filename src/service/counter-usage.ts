import { err, ok, type Result } from 'neverthrow';
import { type Spending, spentState, type WrongCounter, wrongCounterIn } from '../session/budget.js';
import { type InvalidInput, invalidField } from '../session/errors.js';
import type { Counters } from '../session/session.js';
import type { StateRecord } from '../session/session-record.js';
import type { Settings } from './settings.js';

const rules = {
  unknown: 'is no counter of this session: it needs a budget, or a name in limits.counters',
  too_large: 'would make a sum above 2^53 - 1',
} as const satisfies Readonly<Record<WrongCounter['problem'], string>>;

export const spendingOf = ({ policy }: Settings, usage: Counters): Spending => ({
  usage,
  free: policy.limits.counters,
});

export const refusedSpending = (
  state: StateRecord,
  spending: Spending,
): InvalidInput | undefined => {
  const wrong = wrongCounterIn(state, spending);
  return wrong && invalidField(`usage.${wrong.counter}`, rules[wrong.problem]);
};

export const countedState = (
  settings: Settings,
  state: StateRecord,
  usage: Counters | undefined,
  now: number,
): Result<StateRecord, InvalidInput> => {
  if (usage === undefined) return ok(state);
  const refused = refusedSpending(state, spendingOf(settings, usage));
  if (refused !== undefined) return err(refused);
  return ok(spentState(state, { usage }, now));
};
