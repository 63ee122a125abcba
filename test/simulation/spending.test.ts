import { describe, expect, test } from 'vitest';
import type { SessionStore } from '../../src/store/session-store.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeStores } from '../support/describe-stores.js';
import { memoryStoreWith } from '../testing/planted-bug.js';
import { plantedSpendBugs } from '../testing/planted-spend-bugs.js';
import { polled } from './polled.js';
import { simulateSpending } from './spending.js';

describe('the spends of hosts inside and outside of turns', () => {
  test('add up to what was acknowledged, and end a session once it reaches the budget', async () => {
    const seeds = moreIfLong(8, 2000);
    expect(await simulateSpending(() => memoryStoreWith(() => ({})), seeds)).toEqual({ seeds });
  });

  test('may include a spend whose answer was lost and whose repetition was refused', async () => {
    const report = await simulateSpending(() => memoryStoreWith(() => ({})), [581]);
    expect(report).toEqual({ seeds: 1 });
  });
});

describeStores('the spends of hosts in a simulation', (open) => {
  test('add up to what was acknowledged', async () => {
    const seeds = moreIfLong(1, 100);
    expect(await simulateSpending(async () => polled(await open()), seeds)).toEqual({ seeds });
  });
});

describe('a simulation of spends finds within 200 seeds a store that', () => {
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
