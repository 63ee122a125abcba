import { timedOut, withTimeout } from '../session/with-timeout.js';

/**
 * Waits for a value for at most `timeoutMs` milliseconds, then rejects with an error that names
 * `what`.
 */
export const answered = async <T>(
  what: string,
  timeoutMs: number,
  value: T | PromiseLike<T>,
): Promise<T> => {
  const answer = await withTimeout(timeoutMs, Promise.resolve(value));
  if (answer !== timedOut) return answer;
  throw new Error(`${what} has not answered within ${timeoutMs} ms`);
};
