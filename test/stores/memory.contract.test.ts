import { describe, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { describeSessionStore } from '../../src/testing/index.js';
import { forFurtherClients } from '../support/contract-cases.js';

describe('MemorySessionStore', () => {
  describeSessionStore(test, () => new MemorySessionStore({ events: true }));

  describe('without events', () => {
    describeSessionStore(forFurtherClients(test), () => new MemorySessionStore(), {
      without: ['events'],
    });
  });
});
