/**
 * Timeout in milliseconds for anything that must happen: no busy machine reaches it. Below the
 * timeout of a test, so that the error says what was missing.
 */
export const PATIENT_MS = 100_000;
