import type { TestFunction } from '../../src/testing/index.js';

/**
 * Registers the cases of the contract but the one that makes 10,000 sessions. What it shows depends on the store alone:
 * it is run once on each, and left out for further clients, drivers and deployments of the same store.
 */
export const withoutLargeCases =
  (register: TestFunction): TestFunction =>
  (name, run) =>
    name.includes('10,000 sessions') ? undefined : register(name, run);
