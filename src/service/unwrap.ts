import type { Result } from 'neverthrow';
import { isFields } from '../session/fields.js';
import { isError } from '../session/native-kinds.js';
import { SessionFailure } from '../session/session-failure.js';
import type { TypedError } from '../session/typed-error.js';

const isTyped = (error: unknown): error is TypedError =>
  isFields(error) && typeof error['type'] === 'string' && typeof error['message'] === 'string';

const exceptionOf = (error: unknown): Error => {
  if (isTyped(error)) return new SessionFailure(error);
  if (isError(error)) return error;
  return new Error('the result is an error, see `cause`', { cause: error });
};

const valueOrThrow = <T, E>(result: Result<T, E>): T => {
  if (result.isOk()) return result.value;
  throw exceptionOf(result.error);
};

const promisedValue = async <T, E>(result: PromiseLike<Result<T, E>>): Promise<T> =>
  valueOrThrow(await result);

/**
 * Returns the value of a result, or throws its error as a `SessionFailure`. For a `ResultAsync`,
 * returns a promise of the value. Also accepts results of your own, and throws their exceptions as
 * they are. For results of functions; the operations of a service have `orThrow`.
 *
 * @example
 * ```ts
 * const lastWords = sessions.get(id).map(({ history }) => history.at(-1)?.content);
 * console.log(await unwrap(lastWords)); // Bridges, mostly.
 * ```
 */
export function unwrap<T, E>(result: Result<T, E>): T;
export function unwrap<T, E>(result: PromiseLike<Result<T, E>>): Promise<T>;
export function unwrap<T, E>(result: Result<T, E> | PromiseLike<Result<T, E>>): T | Promise<T> {
  return 'then' in result ? promisedValue(result) : valueOrThrow(result);
}
