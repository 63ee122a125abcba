import { describe, expect, test } from 'vitest';
import type { SessionStore } from '../../src/store/session-store.js';
import { isLong } from '../support/continuous-integration.js';
import { describeStores } from '../support/describe-stores.js';
import { plantedAppendBugs } from '../testing/planted-append-bugs.js';
import type { PlantedBug } from '../testing/planted-bug.js';
import { plantedChangeBugs } from '../testing/planted-change-bugs.js';
import { plantedConditionBugs } from '../testing/planted-condition-bugs.js';
import { plantedEventBugs } from '../testing/planted-event-bugs.js';
import { plantedLeaseBugs } from '../testing/planted-lease-bugs.js';
import { plantedRewindBugs } from '../testing/planted-rewind-bugs.js';
import { simulateTalks } from './simulate-talks.js';

describeStores('the engine under crashes, pauses, lost answers and wrong clocks', (open) => {
  test('keeps what it acknowledged, tells each change once and lets one holder write', async () => {
    const { failure } = await simulateTalks(open, isLong ? 1000 : 8);
    expect(failure?.story).toBeUndefined();
  });
});

const bugs = [
  ...plantedAppendBugs,
  ...plantedConditionBugs,
  ...plantedChangeBugs,
  ...plantedEventBugs,
  ...plantedLeaseBugs,
  ...plantedRewindBugs,
];

const found = [
  'loses every tenth append',
  'does not recognise an operationId',
  'answers a repeated append with another position',
  'ignores ifPosition',
  'appends where the history has not reached ifPosition',
  'compares the position and appends without a transaction',
  'takes an append that it refused for one that it made',
  'accepts a stale replace',
  'ends a session by the clock without an event',
  'tells of an append that it has refused',
  'tells of a renewed lease',
  'tells a change again to each call that comes too late for it',
  'tells a repeated append again',
  'tells no lease',
  'tells no release',
  'gives positions again that were superseded',
];

const storeOf = ({ makeStore }: PlantedBug): SessionStore => {
  const made = makeStore();
  return 'store' in made ? made.store : made;
};

describe('within 1,000 seeds the simulation finds a store that', () => {
  test.each(found)('%s', async (name) => {
    const planted = bugs.find(({ bug }) => bug === name);
    if (planted === undefined) throw new Error(`there is no such bug: ${name}`);
    const { failure } = await simulateTalks(async () => storeOf(planted), 1000);
    expect(failure?.error.message).toMatch(/./);
  });
});
