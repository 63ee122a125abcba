import { describe, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { describeSessionStore } from '../../src/testing/index.js';

describe('MemorySessionStore', () => {
  describeSessionStore(test, () => new MemorySessionStore(), {
    withStatuses: () => new MemorySessionStore(),

    withEvents: () => new MemorySessionStore({ events: true }),
  });
});
