/**
 * The timeout, in milliseconds, of whatever must succeed or come about: no busy machine reaches it,
 * and a test that never gets there ends all the same. Below the timeout of a test, so that the
 * error says what was waited for.
 */
export const PATIENT_MS = 100_000;
