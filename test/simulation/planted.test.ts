import { describe, expect, test } from 'vitest';
import type { SimulationReport } from '../../src/simulation/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { isLong } from '../support/continuous-integration.js';
import { plantedGraceBugs } from '../testing/planted-activity-bugs.js';
import { plantedAppendBugs } from '../testing/planted-append-bugs.js';
import { plantedChangeBugs } from '../testing/planted-change-bugs.js';
import { plantedConditionBugs } from '../testing/planted-condition-bugs.js';
import { plantedEventBugs } from '../testing/planted-event-bugs.js';
import { plantedLabelUpdateBugs } from '../testing/planted-label-update-bugs.js';
import { plantedLeaseBugs } from '../testing/planted-lease-bugs.js';
import { plantedOpeningBugs } from '../testing/planted-opening-bugs.js';
import { plantedReportBugs } from '../testing/planted-report-bugs.js';
import { plantedRewindBugs } from '../testing/planted-rewind-bugs.js';
import { simulateCaps } from './capping.js';
import { simulateCommands } from './commanding.js';
import { simulateTalks } from './simulate-talks.js';

const bugs = [
  ...plantedAppendBugs,
  ...plantedChangeBugs,
  ...plantedConditionBugs,
  ...plantedEventBugs,
  ...plantedGraceBugs,
  ...plantedLabelUpdateBugs,
  ...plantedLeaseBugs,
  ...plantedOpeningBugs,
  ...plantedReportBugs,
  ...plantedRewindBugs,
];

type Simulate = (makeStore: () => SessionStore, seeds: number) => Promise<SimulationReport>;

const found: readonly (readonly [by: Simulate, bugs: readonly string[]])[] = [
  [
    simulateTalks,
    [
      'loses every tenth append',
      'does not recognise an operationId',
      'answers a repeated append with another position',
      'ignores ifPosition',
      'compares the position and appends without a transaction',
      'takes an append that it refused for one that it made',
      'ignores the fencing token',
      'looks at the fencing token, and not at the end of the lease',
      'accepts the fencing tokens of earlier leases',
      'accepts a stale replace',
      'ends a session by the clock without an event',
      'tells an event only once another one follows it',
      'tells of an append that it has refused',
      'tells of a renewed lease',
      'tells a change again to each call that comes too late for it',
      'tells a repeated append again',
      'tells no lease',
      'tells no release',
      'gives positions again that were superseded',
      'removes whatever revision it finds',
      'leaves a removed session in its index',
      'keeps nothing of a removed session',
      'takes an end by inactivity back for entries that come later',
      'lists a session with the labels that it has left',
      'moves a session between lists by a change that is stale',
      'writes labels without looking at the revision',
    ],
  ],
  [
    simulateCommands,
    [
      'gives each entry the position before it',
      'does not say that an append is repeated',
      'says that every append with an operationId is repeated',
      'recognises an operationId of a session that was removed',
      'accepts a replace from the future',
      'brings a removed session back by replace',
      'ignores an ifPosition of 0',
      'looks at the position before it looks for the operationId',
      'ignores the position that entries are to follow',
      'takes 0 for no position',
    ],
  ],
  [simulateCaps, ['counts no live sessions']],
];

/**
 * They take hundreds of seeds, so that only `npm run test:long` tries them. In every run, the
 * contract finds them.
 */
const rare: ReadonlySet<string> = new Set([
  'compares the position and appends without a transaction',
  'takes an append that it refused for one that it made',
  'writes labels without looking at the revision',
  'accepts the fencing tokens of earlier leases',
  'ignores an ifPosition of 0',
]);

describe('within 1,000 seeds the simulation finds a store that', () => {
  for (const [by, names] of found) {
    test.each(names.filter((name) => isLong || !rare.has(name)))('%s', async (name) => {
      const planted = bugs.find(({ bug }) => bug === name);
      if (planted === undefined) throw new Error(`there is no such bug: ${name}`);
      const open = (): SessionStore => {
        const made = planted.makeStore();
        return 'store' in made ? made.store : made;
      };
      const { failure } = await by(open, 1000);
      expect(failure?.error.message).toMatch(/./);
    });
  }
});
