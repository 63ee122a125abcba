import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { type SimulationOptions, simulate } from '../../src/simulation/index.js';
import type { StateChange } from '../../src/store/commit.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeStores } from '../support/describe-stores.js';
import { memoryStoreWith } from '../testing/planted-bug.js';
import { polled } from './polled.js';
import { faultsOf, wastedIn } from './turn-judge.js';
import { type Manners, openChats, Told, turning } from './turning.js';

const all: Manners = { hangs: true, changes: true };

type Change = (commit: StateChange, before: StateRecord) => StateChange;

/** A memory store that records the answers it has stored. `change` may plant a bug. */
const marking = (told: () => Told, change: Change) =>
  memoryStoreWith((inner) => ({
    put: (commit) => {
      const before = inner.findState(commit.key)._unsafeUnwrap();
      const { entries = [] } = commit.effects;
      return inner.change(before === undefined ? commit : change(commit, before)).map((changed) => {
        if (changed.outcome === 'made') told().stored(entries);
        return changed;
      });
    },
  }));

const simulated = (
  manners: Manners,
  options: Partial<SimulationOptions> = {},
  change: Change = (commit) => commit,
) => {
  let told = new Told();
  // With any other fault, a run may be lost with its lease.
  const areRunsKept =
    options.store === undefined && options.faults?.every((fault) => fault === 'crash');
  return simulate({
    setup: (given) => {
      told = new Told();
      return openChats(given);
    },
    host: turning(() => told, manners),
    check: async ({ sessions }) => {
      for (const id of ['s1', 's2']) {
        const faults = await faultsOf(sessions, id, told, manners);
        if (faults.length > 0) throw new Error(`${id}: ${faults.join(', ')}`);
      }
      const wasted = areRunsKept ? wastedIn(told) : 0;
      if (wasted > 0) throw new Error(`${wasted} runs were thrown away`);
    },
    seeds: 100,
    calm: 400,
    onProgress: () => {},
    store: () => marking(() => told, change),
    ...options,
  });
};

describe('the messages of chatty, impatient and hasty users', () => {
  test('are each answered once, and no run is wasted', async () => {
    const seeds = moreIfLong(2, 1000);
    const manners = { hangs: false, changes: false };
    expect(await simulated(manners, { seeds, faults: [] })).toEqual({ seeds });
  });

  test.each([
    ['a crash', { hangs: true, changes: false }],
    ['a crash, a cancel or a rewind', all],
  ])('waste no run except by %s', async (_, manners) => {
    const seeds = moreIfLong(2, 300);
    expect(await simulated(manners, { seeds, faults: ['crash'] })).toEqual({ seeds });
  });

  test('are each answered once if hosts crash and runs hang', async () => {
    const seeds = moreIfLong(2, 1000);
    expect(await simulated({ hangs: true, changes: false }, { seeds })).toEqual({ seeds });
  });

  test('are taken once or withdrawn during cancels, rewinds and crashes', async () => {
    const seeds = moreIfLong(3, 500);
    expect(await simulated(all, { seeds })).toEqual({ seeds });
  });

  test('are each answered once without events in the store', async () => {
    const seeds = moreIfLong(1, 300);
    const options = { seeds, store: () => new MemorySessionStore() };
    expect(await simulated(all, options)).toEqual({ seeds });
  });
});

describeStores('messages in a simulation of users, crashes and rewinds', (open) => {
  test('are taken once or withdrawn', async () => {
    const seeds = moreIfLong(1, 100);
    expect(await simulated(all, { seeds, store: async () => polled(await open()) })).toEqual({
      seeds,
    });
  });
});

const withState = (commit: StateChange, state: StateRecord): StateChange => ({
  ...commit,
  effects: { ...commit.effects, put: { ...commit.effects.put, state } },
});

describe('the simulation finds within 100 seeds an engine', () => {
  test.each([
    [
      'in which a rewind leaves the turn of an older question',
      (commit: StateChange, { work }: StateRecord) => {
        const { truncate, put } = commit.effects;
        if (truncate === undefined || work.turn === undefined) return commit;
        const { lease, turn } = work;
        const kept = { ...put.state.work, turn, ...(lease && { lease }) };
        return withState(commit, { ...put.state, work: kept });
      },
      /which is not there|twice|another turn/,
    ],
    [
      'in which a cancel drops the messages that wait',
      (commit: StateChange, before: StateRecord) => {
        const { state } = commit.effects.put;
        const isCancel = state.work.lease?.cancelled && !before.work.lease?.cancelled;
        if (!isCancel) return commit;
        const { askedAt: _, inbox: _i, ...work } = state.work;
        return withState(commit, { ...state, work });
      },
      /waiting at the end/,
    ],
    [
      'in which a lease is over before its run',
      (commit: StateChange, before: StateRecord) => {
        const { state } = commit.effects.put;
        const { lease } = state.work;
        if (lease === undefined || lease.takenAt === before.work.lease?.takenAt) return commit;
        const short = { ...lease, until: lease.takenAt + 1000 };
        return withState(commit, { ...state, work: { ...state.work, lease: short } });
      },
      /thrown away/,
    ],
  ])('%s', async (_, change, message) => {
    const { failure } = await simulated(all, { faults: [] }, change);
    expect(failure?.error.message).toMatch(message);
  });
});
