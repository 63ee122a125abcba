import { describe, expect, test } from 'vitest';
import type { SimulationReport } from '../../src/simulation/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { isLong } from '../support/continuous-integration.js';
import { plantedEffectBugs } from '../testing/planted-effect-bugs.js';
import { plantedEventBugs } from '../testing/planted-event-bugs.js';
import { plantedGuardBugs } from '../testing/planted-guard-bugs.js';
import { plantedQueueBugs } from '../testing/planted-queue-bugs.js';
import { simulateCaps } from './capping.js';
import { simulateCommands } from './commanding.js';
import { plantedSequenceBugs } from './planted-bugs.js';
import { simulateTalks } from './simulate-talks.js';

const bugs = [
  ...plantedEffectBugs,
  ...plantedEventBugs,
  ...plantedGuardBugs,
  ...plantedQueueBugs,
  ...plantedSequenceBugs,
];

type Simulate = (makeStore: () => SessionStore, seeds: number) => Promise<SimulationReport>;

const found: readonly (readonly [by: Simulate, bugs: readonly string[]])[] = [
  [
    simulateTalks,
    [
      'loses every tenth append',
      'forgets the guard operation',
      'answers a repeated append with another position',
      'forgets the guard end',
      'judges end, waits and writes',
      'takes an append that it refused for one that it made',
      'forgets the guard fence',
      'looks at the fencing token, and not at the end of the lease',
      'accepts the fencing tokens of earlier leases',
      'accepts a stale change',
      'expires a session without an event',
      'tells an event only once another event follows it',
      'tells of an append that it has refused',
      'tells of a renewed lease',
      'tells a change again to each call that comes too late',
      'tells a repeated append again',
      'tells no lease',
      'tells no release',
      'gives positions again that were superseded',
      'removes whatever revision there is',
      'leaves a removed session in its index',
      'leaves nothing of a session',
      'lists a session with the labels that it has left',
      'moves a session between lists by a change that is stale',
      'writes labels without looking at the revision',
    ],
  ],
  [
    simulateCommands,
    [
      'gives each entry the position before it',
      'says made of a repeated change',
      'says that every append with an operationId is repeated',
      'recognises an operationId of a session that was removed',
      'accepts a change from the future',
      'brings a removed session back by a change',
      'ignores a guard for the end 0',
      'looks at the end before it looks for the operation',
      'loses a rewind',
      'takes a rewind to 0 for none',
    ],
  ],
  [simulateCaps, ['forgets the guard live']],
];

/**
 * Need many seeds, so they run with `npm run test:long` only. The store contract finds them in
 * every run.
 */
const rare: ReadonlySet<string> = new Set([
  'judges end, waits and writes',
  'takes an append that it refused for one that it made',
  'writes labels without looking at the revision',
  'accepts the fencing tokens of earlier leases',
  'ignores a guard for the end 0',
  'forgets the guard operation',
  'answers a repeated append with another position',
  'forgets the guard fence',
  'looks at the fencing token, and not at the end of the lease',
  'accepts a stale change',
  'tells a repeated append again',
  'gives positions again that were superseded',
  'removes whatever revision there is',
  'accepts a change from the future',
  'looks at the end before it looks for the operation',
]);

describe('the simulation finds within 2,000 seeds a store that', () => {
  for (const [by, names] of found) {
    test.each(names.filter((name) => isLong || !rare.has(name)))('%s', async (name) => {
      const planted = bugs.find(({ bug }) => bug === name);
      if (planted === undefined) throw new Error(`there is no such bug: ${name}`);
      const open = (): SessionStore => {
        const made = planted.makeStore();
        return 'store' in made ? made.store : made;
      };
      const { failure } = await by(open, 2000);
      expect(failure?.error.message).toMatch(/./);
    });
  }
});
