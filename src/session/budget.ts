import { byName } from './json.js';
import type { Counters } from './session.js';
import type { BudgetRecord, StateRecord } from './session-record.js';
import { endsAt } from './time-limits.js';

export interface Spending {
  /** Amounts to add, by counter: whole numbers from 0. */
  readonly usage: Counters;
  /** Counters that a session may use without a budget for them. */
  readonly free: readonly string[];
  /** New value of the budget's `last`. Default: unchanged. */
  readonly last?: string | undefined;
}

const none: Counters = Object.freeze({});

const sumIn = (counters: Counters, name: string): number | undefined =>
  Object.hasOwn(counters, name) ? counters[name] : undefined;

const sorted = (counters: Counters): Counters =>
  Object.freeze(Object.fromEntries(Object.entries(counters).sort(byName)));

export const newBudget = (limits: Counters): BudgetRecord =>
  Object.freeze({
    used: Object.freeze(Object.fromEntries(Object.keys(limits).map((name) => [name, 0]))),
    limits,
    last: '',
  });

/** A counter that a session does not have, or whose sum would be too large to be exact. */
export interface WrongCounter {
  readonly counter: string;
  readonly problem: 'unknown' | 'too_large';
}

/**
 * The first counter that cannot be added; undefined if all can.
 *
 * @example
 * ```ts
 * const state = unwrap(store.findState({ tenant: 'acme', id }));
 * const spending = { usage: { tokens: 900 }, free: [] };
 * if (state) console.log(wrongCounterIn(state, spending)?.problem); // unknown
 * ```
 */
export const wrongCounterIn = (
  { budget }: StateRecord,
  { usage, free }: Spending,
): WrongCounter | undefined => {
  for (const [counter, added] of Object.entries(usage)) {
    const used = sumIn(budget?.used ?? none, counter);
    if (used === undefined && !free.includes(counter)) return { counter, problem: 'unknown' };
    if (!Number.isSafeInteger((used ?? 0) + added)) return { counter, problem: 'too_large' };
  }
  return undefined;
};

export const reachedIn = (used: Counters, limits: Counters): readonly string[] =>
  Object.entries(limits)
    .filter(([name, limit]) => (sumIn(used, name) ?? 0) >= limit)
    .map(([name]) => name);

/**
 * The state with a usage that was added at `at`. A session that has not ended by then ends if a sum
 * reaches its budget.
 */
export const spentState = <S extends StateRecord>(
  state: S,
  { usage, last: name }: Pick<Spending, 'usage' | 'last'>,
  at: number,
): S => {
  const { used: before, limits, last, ...reached } = state.budget ?? newBudget(none);
  const added = Object.entries(usage).map(
    ([name, value]) => [name, (sumIn(before, name) ?? 0) + value] as const,
  );
  const used = sorted({ ...before, ...Object.fromEntries(added) });
  const isLive = state.status !== 'TERMINATED' && at < endsAt(state);
  const isReached = isLive && reachedIn(used, limits).length > 0;
  const end = isReached ? { reachedAt: at } : reached;
  return { ...state, budget: Object.freeze({ used, limits, last: name ?? last, ...end }) };
};

export const extendedBudget = (
  { used, limits, last }: BudgetRecord = newBudget(none),
  changed: Counters,
): BudgetRecord => {
  const all = sorted({ ...limits, ...changed });
  return Object.freeze({ used: sorted({ ...newBudget(all).used, ...used }), limits: all, last });
};
