import { err, type Result, ResultAsync } from 'neverthrow';
import { type StoreUnavailable, storeUnavailable } from './errors.js';
import type { Answer } from './store.js';

const proceed = <T, U, E, F>(result: Result<T, E>, next: (value: T) => Answer<U, F>): Answer<U, E | F> =>
  result.isOk() ? next(result.value) : err<U, E>(result.error);

/** Goes on with the value of an answer; at once where the answer is there already, so that memory costs no promise. */
export const chain = <T, U, E, F>(answer: Answer<T, E>, next: (value: T) => Answer<U, F>): Answer<U, E | F> =>
  'then' in answer ? Promise.resolve(answer).then((result) => proceed(result, next)) : proceed(answer, next);

type Outcome = StoreUnavailable['outcome'];

/**
 * Runs an operation so that nothing is thrown and nothing rejects. What can still throw in here is a store that
 * breaks its contract, and is reported as such, with `outcome` for what may have become of the operation.
 */
export const settled = <T, E>(
  operation: () => Answer<T, E>,
  outcome: Outcome = 'unknown',
): ResultAsync<T, E | StoreUnavailable> => {
  const failed = (cause: unknown): Result<never, StoreUnavailable> =>
    err(storeUnavailable('the store failed in a way that it should not', outcome, cause));
  try {
    const answer = operation();
    return new ResultAsync<T, E | StoreUnavailable>(
      'then' in answer ? Promise.resolve(answer).catch(failed) : Promise.resolve(answer),
    );
  } catch (cause) {
    return new ResultAsync(Promise.resolve(failed(cause)));
  }
};
