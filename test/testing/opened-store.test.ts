import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { describeSessionStore, type StoreContractOptions } from '../../src/testing/index.js';
import { TextSessionStore } from '../support/store-doubles.js';
import { runContract } from './run-contract.js';

const never = () => new Promise<never>(() => undefined);

const notToBeMade = (): SessionStore => {
  throw new Error('the database is not there');
};

describe('the contract', () => {
  test('closes each store that was opened, once, after its case, whether that passed or failed', async () => {
    let open = 0;
    let closed = 0;
    const makeStore = <S extends SessionStore>(store: S) => {
      open += 1;
      const close = async () => {
        closed += 1;
      };
      return { store, close };
    };
    const sound = await runContract('corruption:', () => makeStore(new TextSessionStore()), {
      corrupt: async (store, key, part) => store.damage(key, part),
    });
    expect(sound.failed.size).toBe(0);
    expect([open, closed]).toEqual([sound.names.length, sound.names.length]);
    const throwing = new Proxy(new MemorySessionStore(), {
      get: () => {
        throw new Error('out of order');
      },
    });
    const broken = await runContract('begin:', async () => makeStore(throwing));
    expect(broken.failed.size).toBe(broken.names.length);
    expect(closed).toBe(open);
    expect(open).toBe(sound.names.length + broken.names.length);
  });

  test('fails a case whose store cannot be made, or not be closed, and says why', async () => {
    const failing = () => Promise.reject(new Error('still in use'));
    const notClosed = await runContract('begin:', () => ({
      store: new MemorySessionStore(),
      close: failing,
    }));
    expect(new Set(notClosed.failed.values())).toEqual(new Set(['still in use']));
    const notMade = await runContract('begin:', notToBeMade);
    expect(new Set(notMade.failed.values())).toEqual(new Set(['the database is not there']));
  });

  test('reports the failure of a case before the failure of its close', async () => {
    const { failed } = await runContract('begin:', () => ({
      store: new Proxy(new MemorySessionStore(), { get: notToBeMade }),
      close: () => Promise.reject(new Error('still in use')),
    }));
    expect(new Set(failed.values())).toEqual(new Set(['the database is not there']));
  });

  test('does not wait for ever for a store to be made, or to be closed', async () => {
    const notMade = await runContract<SessionStore>('begin:', never, { timeoutMs: 20 });
    expect(new Set(notMade.failed.values())).toEqual(
      new Set(['makeStore() has not answered within 20 ms']),
    );
    const notClosed = await runContract(
      'begin:',
      () => ({ store: new MemorySessionStore(), close: never }),
      {
        timeoutMs: 20,
      },
    );
    expect(new Set(notClosed.failed.values())).toEqual(
      new Set(['close() has not answered within 20 ms']),
    );
  });

  test('takes no option that is wrong', () => {
    const describeWith = (options: StoreContractOptions<MemorySessionStore>) => () =>
      describeSessionStore(
        () => undefined,
        () => new MemorySessionStore(),
        options,
      );
    for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
      expect(describeWith({ timeoutMs })).toThrow(
        new TypeError('describeSessionStore: timeoutMs must be a number from 1 to 2147483647'),
      );
    }
  });
});
