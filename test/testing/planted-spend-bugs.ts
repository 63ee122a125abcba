import type { StateRecord } from '../../src/session/session-record.js';
import type { UseChange } from '../../src/store/commit.js';
import { type PlantedBug, planted } from './planted-bug.js';

type Spend = NonNullable<UseChange['effects']['spend']>;

/** A bug in what is spent. */
const spending = (
  bug: string,
  caughtBy: string,
  change: (spend: Spend, { effects, guards }: UseChange, before: StateRecord) => Partial<UseChange>,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    use: (commit) => {
      const before = inner.findState(commit.key)._unsafeUnwrap();
      const { spend } = commit.effects;
      if (spend === undefined || before === undefined) return inner.change(commit);
      return inner.change({ ...commit, ...change(spend, commit, before) });
    },
  }));

const sums = 'spend: adds up with and without entries, and ends a session that reaches its budget';
const once = 'spend: an operation spends once, with and without entries';

export const plantedSpendBugs: readonly PlantedBug[] = [
  spending(
    'counts a repeated spend twice',
    once,
    (_, { guards: { operation: _o, ...guards } }) => ({
      guards,
    }),
  ),
  spending('never ends a session by its budget', sums, (spend, { effects }, { budget }) => {
    const most = Object.entries(spend.usage).map(([name, added]) => {
      const [used = 0, limit = Number.POSITIVE_INFINITY] = [
        budget?.used[name],
        budget?.limits[name],
      ];
      return [name, Math.max(0, Math.min(added, limit - used - 1))] as const;
    });
    return { effects: { ...effects, spend: { ...spend, usage: Object.fromEntries(most) } } };
  }),
  spending('loses what is spent with entries', sums, (spend, { effects }) => ({
    effects: { ...effects, spend: effects.entries === undefined ? spend : undefined },
  })),
];
