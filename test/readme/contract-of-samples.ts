import * as testing from '../../src/testing/index.js';
import { withoutLargeCases } from '../support/contract-cases.js';

/**
 * The contract as the samples of the documents import it, without the case that takes longest on
 * any store.
 */
export const describeSessionStore: typeof testing.describeSessionStore = (test, ...more) =>
  testing.describeSessionStore(withoutLargeCases(test), ...more);
