import { describe, expect, test } from 'vitest';
import { unwrap } from '../../src/index.js';
import {
  type SimulatedHost,
  type SimulatedSessions,
  simulate,
} from '../../src/simulation/index.js';
import { moreIfLong } from '../support/continuous-integration.js';
import {
  ask,
  careless,
  eachAnsweredOnce,
  forgetful,
  hasty,
  repeatingUnderLease,
  unfenced,
} from './answering.js';
import { wait } from './steps.js';

const answering = { setup: ask, check: eachAnsweredOnce, onProgress: () => {} };

describe('the story of a failure', () => {
  test.each([
    ['sends an append again whose answer was lost', repeatingUnderLease],
    ['forgets the operation id of an append that it sends again', forgetful],
    ['writes without its lease', unfenced],
    ['reads, and writes without a condition', careless],
    ['marks a question as answered before the answer is stored', hasty],
  ])('shows within 50 seeds, in 60 lines, a worker that %s', async (_, host) => {
    for (const firstSeed of moreIfLong([1], [1, 1001, 2001])) {
      const { failure } = await simulate({ ...answering, host, firstSeed, seeds: 50 });
      expect(failure?.error.message).toMatch(/has user/);
      expect(failure?.story.split('\n').length).toBeLessThanOrEqual(60);
    }
  });

  test('contains only the hosts that a failure needs', async () => {
    const { failure } = await simulate({
      ...answering,
      host: repeatingUnderLease,
      hosts: 3,
      faults: ['lostReply'],
    });
    expect(failure?.trace.filter((line) => line.endsWith('starts'))).toHaveLength(1);
    const check = () => false;
    const host = async ({ sessions, host: number }: SimulatedHost) => {
      await sessions.create({ face: 'ada', profile: 'tutor', idempotencyKey: `${number}` });
    };
    const three = async ({ sessions }: SimulatedSessions) =>
      unwrap(await sessions.list({})).total === 3;
    const lost = await simulate({ hosts: 3, faults: ['refused'], host, check: three, seeds: 100 });
    expect(lost.failure?.trace.filter((line) => line.endsWith('starts'))).toHaveLength(3);
    const never = await simulate({ hosts: 3, host, check, seeds: 1 });
    expect(never.failure?.trace.filter((line) => line.endsWith('starts'))).toHaveLength(1);
  });

  test('shows a repetition once, and how often it was left out', async () => {
    const host = async (given: SimulatedHost) => {
      const { sessions } = given;
      for (let poll = 1; poll <= 20; poll += 1) {
        await sessions.history('s1', { last: 1 });
        await sessions.lease('s1', { holder: 'me', seconds: 1 });
        await wait(given, 2);
      }
      await sessions.append('s1', [{ role: 'user', content: 'late' }]);
      for (let poll = 1; poll <= 20; poll += 1) await sessions.history('s1', { last: 1 });
    };
    const setup = ({ sessions }: SimulatedSessions) =>
      unwrap(sessions.create({ face: 'ada', profile: 'tutor', start: true }));
    const { failure } = await simulate({
      hosts: 1,
      faults: [],
      seeds: 1,
      setup,
      host,
      check: () => false,
    });
    expect(failure?.trace.map((line) => line.slice(12))).toEqual([
      '...     95 lines that are repeated below',
      'host 1  starts',
      'host 1  calls history s1 { last: 1 }',
      'host 1  gets { position: 0 } from history',
      'host 1  calls lease s1 { holder: me, seconds: 1 }',
      'store   has applied put of host 1',
      'host 1  gets { fencingToken: 20 } from lease',
      'host 1  calls append s1 [user: late]',
      'store   has applied append of host 1',
      'host 1  gets { position: 1 } from append',
      'host 1  calls history s1 { last: 1 }',
      'host 1  gets { position: 1 } from history',
      'host 1  calls history s1 { last: 1 }',
      '...     38 more lines, in which nothing changes but leases',
    ]);
  });
});
