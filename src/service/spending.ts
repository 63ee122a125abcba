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

/** A usage of a checked call, with the counters that the host allows for any session. */
export const spendingOf = ({ policy }: Settings, usage: Counters): Spending => ({
  usage,
  free: policy.limits.counters,
});

/** The error of a usage that a store has refused in this state. */
export const refusedSpending = (state: StateRecord, spending: Spending): InvalidInput => {
  const { counter, problem } = wrongCounterIn(state, spending) ?? {
    counter: '',
    problem: 'unknown',
  };
  return invalidField(`usage.${counter}`, rules[problem]);
};

/** The state with a usage, if there is one. */
export const countedState = (
  settings: Settings,
  state: StateRecord,
  usage: Counters | undefined,
  now: number,
): Result<StateRecord, InvalidInput> => {
  if (usage === undefined) return ok(state);
  const spending = spendingOf(settings, usage);
  if (wrongCounterIn(state, spending)) return err(refusedSpending(state, spending));
  return ok(spentState(state, { usage }, now));
};
