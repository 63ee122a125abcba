import { describe, expect, test } from 'vitest';
import { moreIfLong } from '../support/continuous-integration.js';
import { memoryStoreWith, type PlantedBug } from './planted-bug.js';
import { plantedEventBugs } from './planted-event-bugs.js';
import { plantedLabelBugs } from './planted-label-bugs.js';
import { plantedLabelSearchBugs } from './planted-label-search-bugs.js';
import { plantedListBugs } from './planted-list-bugs.js';
import { plantedReadBugs } from './planted-read-bugs.js';
import { plantedSizeBugs } from './planted-size-bugs.js';
import { plantedStatusBugs } from './planted-status-bugs.js';
import { plantedStatusListBugs } from './planted-status-list-bugs.js';
import { plantedTwoStoreBugs } from './planted-two-store-bugs.js';
import { runContract } from './run-contract.js';

/** The names of the tests are a table of bugs and cases, so that they stand there in full. */
const table = <B extends PlantedBug>(
  bugs: readonly B[],
): readonly (readonly [string, string, B['makeStore']])[] =>
  bugs.map(({ bug, caughtBy, makeStore }) => [bug, caughtBy, makeStore]);

const bugs = [
  ...plantedEventBugs,
  ...plantedLabelBugs,
  ...plantedLabelSearchBugs,
  ...plantedListBugs,
  ...plantedReadBugs,
  ...plantedSizeBugs,
  ...plantedStatusBugs,
  ...plantedStatusListBugs,
];

describe('in a copy of the memory store, the contract catches that it', () => {
  test.for(table(bugs))('%s, by "%s"', async ([, caughtBy, makeStore]) => {
    const { failed } = await runContract(caughtBy, makeStore, { timeoutMs: 500 });
    expect([...failed.keys()]).toEqual([caughtBy]);
  });

  test('nothing, where no bug is planted', async () => {
    const makeStore = () => memoryStoreWith(() => ({}));
    const { failed } = await runContract('', makeStore);
    expect([...failed]).toEqual([]);
  });
});

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
