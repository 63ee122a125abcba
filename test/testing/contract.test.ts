import { describe, expect, test } from 'vitest';
import type { SessionStore } from '../../src/store.js';
import { type Corrupt, describeSessionStore } from '../../src/testing/index.js';
import { TextSessionStore } from '../support/store-doubles.js';
import { faults } from './faults.js';

/** Runs the cases of a group, and gives the names of those that failed and of all. */
const runContract = async <S extends SessionStore>(group: string, makeStore: () => S, corrupt?: Corrupt<S>) => {
  const names: string[] = [];
  const failed: string[] = [];
  const runs: Promise<void>[] = [];
  const collect = (name: string, run: () => Promise<void>) => {
    if (!name.startsWith(group)) return;
    names.push(name);
    runs.push(run().catch(() => void failed.push(name)));
  };
  describeSessionStore(collect, makeStore, corrupt === undefined ? {} : { corrupt });
  await Promise.all(runs);
  return { names, failed };
};

describe('the contract, on a store that answers later, keeps text and can be damaged', () => {
  describeSessionStore(test, () => new TextSessionStore(), {
    corrupt: async (store, key, part) => store.damage(key, part),
  });
});

describe('the contract finds out a store that', () => {
  test.for(faults)('(%s) %s', async ([group, , makeStore]) => {
    const { failed } = await runContract(group, makeStore);
    expect(failed).not.toEqual([]);
  });

  test('does not notice what is damaged', async () => {
    const { names, failed } = await runContract(
      '',
      () => new TextSessionStore(),
      async () => {},
    );
    expect(failed).not.toEqual([]);
    expect(failed.every((name) => name.startsWith('corruption: '))).toBe(true);
    expect(new Set(names).size).toBe(names.length);
  });

  test('throws or rejects', async () => {
    const throws = () => {
      throw new Error('out of order');
    };
    const throwing = new Proxy(new TextSessionStore(), {
      get: (_, name) => (name === 'then' ? undefined : throws),
    });
    const { names, failed } = await runContract('', () => throwing);
    expect(failed.toSorted()).toEqual(names.toSorted());
  });
});
