import { moreIfLong } from './continuous-integration.js';

/**
 * Timeout in milliseconds of a test. One of `npm run test:long` tries a hundred times as many cases
 * and shares the machine with others; there the timeout only ends what would never end.
 */
export const TEST_MS = moreIfLong(120_000, 1_200_000);

/**
 * Timeout in milliseconds for anything that must happen: no busy machine reaches it. Below the
 * timeout of a test, so that the error says what was missing.
 */
export const PATIENT_MS = 100_000;
