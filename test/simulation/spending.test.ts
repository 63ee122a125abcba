import { describe, expect, test } from 'vitest';
import type { SessionStore } from '../../src/store/session-store.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeStores } from '../support/describe-stores.js';
import { memoryStoreWith } from '../testing/planted-bug.js';
import { plantedSpendBugs } from '../testing/planted-spend-bugs.js';
import { polled } from './polled.js';
import { simulateSpending } from './spending.js';

describe('what hosts spend in turns and outside of them', () => {
  test('is the sum of what was acknowledged, and ends a session once it reaches the budget', async () => {
    const seeds = moreIfLong(30, 2000);
    expect(await simulateSpending(() => memoryStoreWith(() => ({})), seeds)).toEqual({ seeds });
  });
});

describeStores('what hosts spend in a simulation', (open) => {
  test('is the sum of what was acknowledged', async () => {
    const seeds = moreIfLong(1, 100);
    expect(await simulateSpending(async () => polled(await open()), seeds)).toEqual({ seeds });
  });
});

describe('within 200 seeds a simulation of spends finds a store that', () => {
  test.each(plantedSpendBugs.map(({ bug, makeStore }) => [bug, makeStore] as const))(
    '%s',
    async (_, makeStore) => {
      const open = (): SessionStore => {
        const made = makeStore();
        return 'store' in made ? made.store : made;
      };
      const { failure } = await simulateSpending(open, 200);
      expect(failure?.error.message).toMatch(/spent|is [A-Z]+ with/);
    },
  );
});
