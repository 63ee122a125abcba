import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { type SimulationOptions, simulate } from '../../src/simulation/index.js';
import type { StateChange } from '../../src/store/commit.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeStores } from '../support/describe-stores.js';
import { memoryStoreWith } from '../testing/planted-bug.js';
import { polled } from './polled.js';
import { faultsOf } from './turn-judge.js';
import { type Manners, openChats, Told, turning } from './turning.js';

const all: Manners = { hangs: true, changes: true };

const simulated = (manners: Manners, options: Partial<SimulationOptions> = {}) => {
  let told = new Told();
  return simulate({
    setup: (given) => {
      told = new Told();
      return openChats(given);
    },
    host: turning(() => told, manners),
    check: async ({ sessions }) => {
      for (const id of ['s1', 's2']) {
        const hasFaults = options.faults?.length !== 0;
        const faults = await faultsOf(sessions, id, told, manners, hasFaults);
        if (faults.length > 0) throw new Error(`${id}: ${faults.join(', ')}`);
      }
    },
    seeds: 100,
    calm: 400,
    onProgress: () => {},
    ...options,
  });
};

describe('messages that chatty, impatient and hasty users send', () => {
  test('are each answered once, and no run is thrown away', async () => {
    const seeds = moreIfLong(20, 1000);
    const manners = { hangs: false, changes: false };
    expect(await simulated(manners, { seeds, faults: [] })).toEqual({ seeds });
  });

  test('are each answered once where hosts crash and runs hang', async () => {
    const seeds = moreIfLong(20, 1000);
    expect(await simulated({ hangs: true, changes: false }, { seeds })).toEqual({ seeds });
  });

  test('are taken once or withdrawn during cancels, rewinds and crashes', async () => {
    const seeds = moreIfLong(30, 500);
    expect(await simulated(all, { seeds })).toEqual({ seeds });
  });

  test('are each answered once without events in the store', async () => {
    const seeds = moreIfLong(5, 300);
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

/** The memory store, in which changes of a state are other ones. */
const changing = (change: (commit: StateChange, before: StateRecord) => StateChange) => () =>
  memoryStoreWith((inner) => ({
    put: (commit) => {
      const before = inner.findState(commit.key)._unsafeUnwrap();
      return inner.change(before === undefined ? commit : change(commit, before));
    },
  }));

const withState = (commit: StateChange, state: StateRecord): StateChange => ({
  ...commit,
  effects: { ...commit.effects, put: { ...commit.effects.put, state } },
});

describe('within 100 seeds the simulation finds an engine', () => {
  test.each([
    [
      'in which a rewind leaves the turn of an older question',
      changing((commit, { work }) => {
        const { truncate, put } = commit.effects;
        if (truncate === undefined || work.turn === undefined) return commit;
        const { lease, turn } = work;
        const kept = { ...put.state.work, turn, ...(lease && { lease }) };
        return withState(commit, { ...put.state, work: kept });
      }),
      /which is not there|twice|another turn/,
    ],
    [
      'in which a cancel drops the messages that wait',
      changing((commit, before) => {
        const { state } = commit.effects.put;
        const isCancel = state.work.lease?.cancelled && !before.work.lease?.cancelled;
        if (!isCancel) return commit;
        const { askedAt: _, inbox: _i, ...work } = state.work;
        return withState(commit, { ...state, work });
      }),
      /waiting at the end/,
    ],
  ])('%s', async (_, store, message) => {
    const { failure } = await simulated(all, { store, faults: [] });
    expect(failure?.error.message).toMatch(message);
  });
});
