/** Milliseconds before the second attempt, and at most before any. */
const FIRST_MS = 1000;
const MOST_MS = 300_000;

/**
 * Milliseconds from a failed attempt to the next one: twice as long after each attempt, and of that
 * between a half and all, so that sessions that failed together do not come back together. `random`
 * is from 0 up to 1. See "equal jitter" in
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export const retryDelayMs = (attempts: number, random: number): number => {
  const longest = Math.min(MOST_MS, FIRST_MS * 2 ** (attempts - 1));
  return Math.round(longest * (0.5 + random / 2));
};
