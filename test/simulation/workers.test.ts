import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createWorker, unwrap } from '../../src/index.js';
import type { StateRecord } from '../../src/session/session-record.js';
import {
  type SimulatedHost,
  type SimulatedSessions,
  type SimulationOptions,
  simulate,
} from '../../src/simulation/index.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeStores } from '../support/describe-stores.js';
import { memoryStoreWith } from '../testing/planted-bug.js';
import { polled } from './polled.js';
import { aborted, wait } from './steps.js';
import { eachWakeFollowed, openRoom, Wakes, waking } from './waking.js';
import {
  askFirst,
  careful,
  counting,
  doneTooEarly,
  eachAnsweredOnce,
  hasty,
  nameless,
  type RunOn,
  slow,
  working,
} from './working.js';

const simulated = (run: RunOn, options: Partial<SimulationOptions> = {}) =>
  simulate({
    setup: askFirst,
    host: working(run),
    check: eachAnsweredOnce,
    seeds: 100,
    onProgress: () => {},
    ...options,
  });

const simulatedWakes = (options: Partial<SimulationOptions>) => {
  let wakes = new Wakes();
  return simulate({
    setup: (given) => {
      wakes = new Wakes();
      return openRoom(given);
    },
    host: waking(() => wakes),
    check: (given) => eachWakeFollowed(given, wakes),
    onProgress: () => {},
    ...options,
  });
};

/** A memory store that stores a state other than the given one. */
const writing = (write: (next: StateRecord, before: StateRecord) => StateRecord) => () =>
  memoryStoreWith((inner) => ({
    put: (commit) => {
      const before = inner.findState(commit.key)._unsafeUnwrap();
      const { put } = commit.effects;
      const state = before === undefined ? put.state : write(put.state, before);
      return inner.change({
        ...commit,
        effects: { ...commit.effects, put: { ...put, state } },
      });
    },
  }));

const isReleased = ({ work }: StateRecord): boolean => work.lease?.releasedAt !== undefined;

describe('workers that crash, freeze, lose replies and have wrong clocks', () => {
  test('answer each question once', async () => {
    const seeds = moreIfLong(4, 2000);
    expect(await simulated(careful, { seeds })).toEqual({ seeds });
  });

  test('answer a question that a host with a fast clock sent before it crashed', async () => {
    expect(await simulated(careful, { seeds: [320] })).toEqual({ seeds: 1 });
  });

  test('answer each question once without events in the store', async () => {
    const seeds = moreIfLong(2, 300);
    expect(await simulated(careful, { seeds, store: () => new MemorySessionStore() })).toEqual({
      seeds,
    });
  });

  test('do the same whenever a seed is repeated', async () => {
    const stories: unknown[] = [];
    for (let run = 1; run <= 2; run += 1) {
      const { failure } = await simulated(careful, { seeds: [5], check: () => false });
      stories.push(failure?.story);
    }
    expect(stories[1]).toBe(stories[0]);
    expect(stories[0]).toMatch(/gets \[s\d: attempt 1.*from claim/);
  });
});

describe('wakes at any time, even during a turn', () => {
  test('are each followed by a run', async () => {
    const seeds = moreIfLong(4, 1000);
    expect(await simulatedWakes({ seeds })).toEqual({ seeds });
  });

  test('are lost to an engine in which finished work clears a newer wake', async () => {
    const store = writing((next, before) => {
      if (!isReleased(next) || isReleased(before)) return next;
      const { wakeAt: _, ...work } = next.work;
      return { ...next, work };
    });
    const { failure } = await simulatedWakes({ seeds: 50, faults: [], store });
    expect(failure?.error.message).toMatch(/wakes were lost/);
  });
});

describeStores('workers that crash, freeze, lose replies and have wrong clocks', (open) => {
  test('answer each question once', async () => {
    const seeds = moreIfLong(1, 300);
    expect(await simulated(careful, { seeds, store: async () => polled(await open()) })).toEqual({
      seeds,
    });
  });
});

describe('the simulation finds within 100 seeds a program that', () => {
  test.each([
    ['answers again without an operation id', nameless, /, and .*(q\d).*\1.* are answered/],
    ['says that its work is done before the answer is stored', doneTooEarly, /are answered/],
    ['answers only the latest of its messages', hasty, /are answered/],
  ])('%s', async (_, run, message) => {
    const { failure } = await simulated(run);
    expect(failure?.error.message).toMatch(message);
  });

  test('counts an answer again after a crash', async () => {
    const counts = new Map<string, number>();
    const count = (answer: string) => counts.set(answer, 1 + (counts.get(answer) ?? 0));
    const setup = (given: SimulatedSessions) => {
      counts.clear();
      return askFirst(given);
    };
    const check = () => {
      for (const [answer, number] of counts)
        if (number > 1) throw new Error(`${answer} is counted ${number} times`);
    };
    const { failure } = await simulated(counting(count), { setup, check });
    expect(failure?.error.message).toMatch(/is counted/);
  });
});

describe('the simulation finds within 100 seeds an engine', () => {
  test.each([
    [
      'in which work that has failed waits for no other attempt',
      writing((next) => {
        const { retryAt: _, ...work } = next.work;
        return { ...next, work };
      }),
      /are answered/,
    ],
  ])('%s', async (_, store, message) => {
    const { failure } = await simulated(slow, { store });
    expect(failure?.error.message).toMatch(message);
  });

  /** Each run kills its process. */
  const poisoned = async ({ sessions, signal }: SimulatedHost): Promise<void> => {
    const crash = new Promise((_, reject) => {
      const run = () => {
        reject(new Error('out of memory'));
        return new Promise<never>(() => {});
      };
      createWorker(sessions, { seconds: 2, attempts: 3, run }).start();
    });
    await Promise.race([crash, aborted(signal)]);
  };
  const waiting = ({ sessions }: SimulatedSessions) =>
    unwrap(sessions.create({ face: 'ada', profile: 'tutor', start: true, wake: true }));
  const isExhausted = async ({ sessions }: SimulatedSessions) =>
    unwrap(await sessions.get('s1')).work?.state === 'exhausted';
  const faults = ['crash', 'lostReply', 'refused', 'slowStore'] as const;
  // A claim that fails in its second step delays the session by ten seconds.
  const poison = { setup: waiting, host: poisoned, check: isExhausted, faults, duration: 300 };

  test('in which a crash does not count as an attempt, but not in Colloquy', async () => {
    const seeds = moreIfLong(3, 1000);
    expect(await simulated(careful, { ...poison, seeds })).toEqual({ seeds });
    const store = writing((next, before) => {
      const { attempts } = before.work;
      const isClaim = attempts !== undefined && (next.work.attempts ?? 0) > attempts;
      return isClaim && !isReleased(before) ? { ...next, work: { ...next.work, attempts } } : next;
    });
    const { failure } = await simulated(careful, { ...poison, store });
    expect(failure?.error.message).toMatch(/out of memory|false/);
  });
});

describe('cancelled work', () => {
  const stepping =
    (isDeaf: boolean, step: (at: number) => void): RunOn =>
    async ({ signal }, host) => {
      for (let left = 60; left > 0 && (isDeaf || !signal.aborted); left -= 1) {
        step(host.clock.now());
        await wait(host, 1);
      }
      return undefined;
    };

  const cancelling = async (isDeaf: boolean, seeds: number) => {
    let steps: number[] = [];
    let cancelledAt = Number.POSITIVE_INFINITY;
    const run = stepping(isDeaf, (at) => steps.push(at));
    return simulated(run, {
      seeds,
      faults: ['crash', 'lostReply', 'refused', 'slowStore'],
      setup: async (given) => {
        steps = [];
        cancelledAt = Number.POSITIVE_INFINITY;
        await unwrap(
          given.sessions.create({ face: 'ada', profile: 'tutor', start: true, wake: true }),
        );
      },
      host: async (host) => {
        await using worker = createWorker(host.sessions, {
          run: (work) => run(work, host),
          seconds: 10,
        });
        worker.start();
        await wait(host, 10);
        if (host.host === 1 && (await host.sessions.cancel('s1')).isOk()) {
          cancelledAt = Math.min(cancelledAt, host.clock.now());
        }
        await aborted(host.signal);
      },
      check: () => {
        const late = steps.filter((at) => at > cancelledAt + 10_000);
        if (late.length > 0) throw new Error(`${late.length} steps after the work was cancelled`);
      },
    });
  };

  test('ends within the length of its lease', async () => {
    const seeds = moreIfLong(3, 1000);
    expect(await cancelling(false, seeds)).toEqual({ seeds });
  });

  test('is found not to end if the program ignores the signal', async () => {
    expect((await cancelling(true, 100)).failure?.error.message).toMatch(/steps after/);
  });
});
