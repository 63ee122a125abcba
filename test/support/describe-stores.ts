import { describe } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { describeDatabases, newDatabase } from './databases.js';

/**
 * `describe` for each of the four stores: `open` returns an empty store, which is closed after the
 * test.
 */
export const describeStores = (
  name: string,
  define: (open: () => Promise<SessionStore>) => void,
): void => {
  describe(`${name}, in memory`, () =>
    define(async () => new MemorySessionStore({ events: true, reportEnds: true })));
  describeDatabases(name, (kind) => define(async () => (await newDatabase(kind)).open()));
};
