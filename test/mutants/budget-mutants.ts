import type { Mutant } from './mutant.js';

const spends = ['test/stores/spends.test.ts'];
const budgets = ['test/stores/budgets.test.ts'];

/** What sessions have used, and may use. */
export const budgetMutants: readonly Mutant[] = [
  {
    bug: 'a spend in Redis is made again once another spend has followed it',
    file: 'adapters/redis/scripts/spend.lua',
    from: "if c.last and name then call('HSET', c.operations, name, digest .. ' +') end",
    to: '',
    tests: budgets,
  },
  {
    bug: 'the write that reaches a budget is refused',
    file: 'src/session/budget.ts',
    from: "return { counter, problem: 'too_large' };",
    to: "return { counter, problem: 'too_large' };\n    if ((used ?? 0) + added >= (budget?.limits[counter] ?? Infinity))\n      return { counter, problem: 'too_large' };",
    tests: budgets,
  },
  {
    bug: 'a change of a state in SQLite loses what was spent since it was read',
    file: 'adapters/sqlite/session-writer.ts',
    from: '(effects.put ?? effects.spend) !== undefined && textOf(next)',
    to: 'effects.put !== undefined && textOf(next)',
    tests: spends,
  },
  {
    bug: 'a session in PostgreSQL that a budget has ended is still due later',
    file: 'adapters/postgres/sql/change.sql',
    from: "CASE WHEN v.is_live AND v_budget ? 'reachedAt' THEN 0 ELSE v.ends_at END",
    to: 'v.ends_at',
    tests: spends,
  },
];
