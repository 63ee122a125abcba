import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { describeSessionStore } from '../../src/testing/index.js';
import { withoutLargeCases } from '../support/contract-cases.js';
import { TextSessionStore } from '../support/store-doubles.js';
import { faults } from './faults.js';
import { runContract } from './run-contract.js';

const makeStore = () => {
  const inner = new MemorySessionStore({ events: true });
  return { store: new TextSessionStore(inner), second: new TextSessionStore(inner) };
};

describe('the contract, on a store that answers later, keeps text and can be damaged', () => {
  describeSessionStore(withoutLargeCases(test), makeStore, {
    corrupt: async (store, key, part) => store.damage(key, part),
  });
});

describe('the contract finds out a store that', () => {
  test.for(faults)('(%s) %s', async ([group, , makeStore]) => {
    const { failed } = await runContract(group, makeStore);
    expect(failed.size).toBeGreaterThan(0);
  });

  test('does not notice what is damaged', async () => {
    const { names, failed } = await runContract('', makeStore, { corrupt: async () => {} });
    expect(failed.size).toBeGreaterThan(0);
    expect([...failed.keys()].every((name) => name.startsWith('corruption: '))).toBe(true);
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
    expect([...failed.keys()].toSorted()).toEqual(names.toSorted());
  });
});
