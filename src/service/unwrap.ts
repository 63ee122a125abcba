import type { Result } from 'neverthrow';
import type { SessionError } from '../errors.js';

/** What `unwrap` accepts as an error: those of every operation and of the client. */
interface AnyError {
  readonly type: string;
  readonly message: string;
}

/** What `unwrap` throws. Its message is that of the error, behind the error's type. */
export class UnwrapError<E extends AnyError = SessionError> extends Error {
  /** `UnwrapError`. */
  override readonly name = 'UnwrapError';
  /** The error of the result. */
  override readonly cause: E;

  constructor(error: E) {
    super(`${error.type}: ${error.message}`);
    this.cause = error;
  }
}

const valueOrThrow = <T, E extends AnyError>(result: Result<T, E>): T => {
  if (result.isOk()) return result.value;
  throw new UnwrapError(result.error);
};

const promisedValue = async <T, E extends AnyError>(result: PromiseLike<Result<T, E>>): Promise<T> =>
  valueOrThrow(await result);

/**
 * The value of a result; an error is thrown, as the `cause` of an `UnwrapError`. For a `ResultAsync`: a promise of the
 * value, which rejects with it. For scripts, tests and frameworks that handle what is thrown.
 *
 *     const { id } = await unwrap(sessions.create({ face: 'ada', profile: 'tutor' }));
 */
export function unwrap<T, E extends AnyError>(result: Result<T, E>): T;
export function unwrap<T, E extends AnyError>(result: PromiseLike<Result<T, E>>): Promise<T>;
export function unwrap<T, E extends AnyError>(result: Result<T, E> | PromiseLike<Result<T, E>>): T | Promise<T> {
  return 'then' in result ? promisedValue(result) : valueOrThrow(result);
}
