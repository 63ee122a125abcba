import { expect } from 'vitest';
import type { SessionStore } from '../../src/store/session-store.js';
import { methods, storeCalls } from './store-calls.js';

/** Expects each method of a store to fail with an error that contains these properties. */
export const expectCallsToFail = async (
  store: SessionStore,
  error: Readonly<Record<string, unknown>>,
): Promise<void> => {
  for (const method of methods) {
    const result = await storeCalls[method](store);
    expect([method, result.isErr() && result.error]).toEqual([
      method,
      expect.objectContaining(error),
    ]);
  }
};
