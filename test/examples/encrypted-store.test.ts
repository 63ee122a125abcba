import { randomBytes } from 'node:crypto';
import { describe, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { encrypted } from '../../examples/encryption/encrypted-store.js';
import { describeSessionStore } from '../../src/testing/index.js';
import { withoutLargeCases } from '../support/contract-cases.js';

describe('the encrypted store of the example', () => {
  const key = randomBytes(32);
  const makeStore = () => encrypted(new MemorySessionStore({ events: true }), key);
  describeSessionStore(withoutLargeCases(test), makeStore);
});
