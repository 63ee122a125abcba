import { describe, expect, test } from 'vitest';
import { plantedEffectBugs } from './planted-effect-bugs.js';
import { plantedGuardBugs } from './planted-guard-bugs.js';
import { plantedInboxBugs } from './planted-inbox-bugs.js';
import { plantedLimitBugs } from './planted-limit-bugs.js';
import { plantedQueueBugs } from './planted-queue-bugs.js';
import { plantedSpendBugs } from './planted-spend-bugs.js';
import { runContract } from './run-contract.js';

/** The names of the tests are a table of bugs and cases, so that they stand there in full. */
const bugs = [
  ...plantedGuardBugs,
  ...plantedEffectBugs,
  ...plantedInboxBugs,
  ...plantedLimitBugs,
  ...plantedQueueBugs,
  ...plantedSpendBugs,
];

const table = bugs.map(({ bug, caughtBy, makeStore }) => [bug, caughtBy, makeStore] as const);

describe('in a copy of the memory store, the contract catches that it', () => {
  test.for(table)('%s, by "%s"', async ([, caughtBy, makeStore]) => {
    const { failed } = await runContract(caughtBy, makeStore, { timeoutMs: 500 });
    expect(failed.size).toBe(1);
  });
});
