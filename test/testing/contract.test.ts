import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { describeSessionStore } from '../../src/testing/index.js';
import { forFurtherClients } from '../support/contract-cases.js';
import { TextSessionStore } from '../support/store-doubles.js';
import { casesOf, runContract } from './run-contract.js';

const makeStore = () => {
  const inner = new MemorySessionStore({ events: true });
  return { store: new TextSessionStore(inner), second: new TextSessionStore(inner) };
};

describe('the contract, on a store that answers later and can be damaged', () => {
  describeSessionStore(forFurtherClients(test, ['corruption']), makeStore, {
    corrupt: async (store, key, part) => store.damage(key, part),
  });
});

describe('the contract', () => {
  test('has a unique name for each case', () => {
    const { names } = casesOf({ corrupt: async () => {} });
    expect(names.length).toBeGreaterThan(150);
    expect(new Set(names).size).toBe(names.length);
  });

  test('fails on a store that does not notice damaged records', async () => {
    const options = { corrupt: async () => {} };
    const { failed } = await runContract('corruption: ', makeStore, options);
    expect(failed.size).toBeGreaterThan(0);
  });

  test('fails on a store that throws or rejects', async () => {
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
