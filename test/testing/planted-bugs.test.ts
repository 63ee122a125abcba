import { describe, expect, test } from 'vitest';
import { isLong, moreIfLong } from '../support/continuous-integration.js';
import { isLarge } from '../support/contract-cases.js';
import { faults } from './faults.js';
import { memoryStoreWith, type PlantedBug } from './planted-bug.js';
import { plantedEffectBugs } from './planted-effect-bugs.js';
import { plantedEventBugs } from './planted-event-bugs.js';
import { plantedGuardBugs } from './planted-guard-bugs.js';
import { plantedInboxBugs } from './planted-inbox-bugs.js';
import { plantedLabelBugs } from './planted-label-bugs.js';
import { plantedLabelSearchBugs } from './planted-label-search-bugs.js';
import { plantedLimitBugs } from './planted-limit-bugs.js';
import { plantedListBugs } from './planted-list-bugs.js';
import { plantedQueueBugs } from './planted-queue-bugs.js';
import { plantedReadBugs } from './planted-read-bugs.js';
import { plantedSizeBugs } from './planted-size-bugs.js';
import { plantedSpendBugs } from './planted-spend-bugs.js';
import { plantedStatusBugs } from './planted-status-bugs.js';
import { plantedStatusListBugs } from './planted-status-list-bugs.js';
import { plantedTwoStoreBugs } from './planted-two-store-bugs.js';
import { casesOf, runContract } from './run-contract.js';

const bugs = [
  ...faults,
  ...plantedEventBugs,
  ...plantedLabelBugs,
  ...plantedLabelSearchBugs,
  ...plantedListBugs,
  ...plantedReadBugs,
  ...plantedSizeBugs,
  ...plantedStatusBugs,
  ...plantedStatusListBugs,
  ...plantedGuardBugs,
  ...plantedEffectBugs,
  ...plantedInboxBugs,
  ...plantedLimitBugs,
  ...plantedQueueBugs,
  ...plantedSpendBugs,
];

const { names } = casesOf();

/** The case that catches a bug; its name may be given by its beginning. */
const caseOf = ({ caughtBy }: PlantedBug): string =>
  names.find((name) => name.startsWith(caughtBy)) ?? `no case: ${caughtBy}`;

/** The names of the tests are a table of bugs and cases, which shows both in full. */
const table = <B extends PlantedBug>(
  all: readonly B[],
): readonly (readonly [string, string, B['makeStore']])[] =>
  all.map((each) => [each.bug, caseOf(each), each.makeStore]);

describe('in a copy of the memory store, the contract catches that it', () => {
  test.for(table(bugs))('%s, by "%s"', async ([, caughtBy, makeStore]) => {
    const { failed } = await runContract(caughtBy, makeStore, { timeoutMs: 500 });
    expect([...failed.keys()]).toEqual([caughtBy]);
  });

  test('nothing, where no bug is planted', async () => {
    const cases = new Set(bugs.map(caseOf).filter((name) => !isLarge(name)));
    const { failed } = await runContract(cases, () => memoryStoreWith(() => ({})));
    expect([...failed]).toEqual([]);
  });
});

// The case that catches a bug is enough to see it caught; the others could still run for ever.
if (isLong) {
  describe('with all of its cases, the contract comes to an end on a store that', () => {
    test.for(table(bugs))('%s, and "%s" fails', async ([, caughtBy, makeStore]) => {
      const ending = names.filter((name) => !name.startsWith('random ') && !isLarge(name));
      const { failed } = await runContract(new Set([...ending, caughtBy]), makeStore);
      expect([...failed.keys()]).toContain(caughtBy);
    });
  });
}

describe('in two stores over one database, the contract catches that each', () => {
  test.for(table(plantedTwoStoreBugs))('%s, by "%s"', async ([, caughtBy, makeStore]) => {
    const { failed } = await runContract(caughtBy, makeStore);
    expect([...failed.keys()]).toEqual([caughtBy]);
  });

  test.for(table(plantedTwoStoreBugs))(
    'nothing of this, where there is one store: %s',
    async ([, caughtBy, makeStore]) => {
      const makeOne = () => makeStore().store;
      const { failed } = await runContract(moreIfLong(caughtBy, ''), makeOne);
      expect([...failed]).toEqual([]);
    },
  );
});
