import type { Result } from 'neverthrow';
import { isFields } from '../input/parse-fields.js';
import type { SessionError } from '../session/errors.js';

/** The type and the message of an error; each may be missing. */
const messageOf = (error: unknown): string => {
  if (!isFields(error)) return String(error);
  const texts = [error['type'], error['message']].filter((text) => typeof text === 'string');
  return texts.length === 0 ? 'the result is an error, see `cause`' : texts.join(': ');
};

/** The exception of `unwrap`. Its message contains the type and the message of the error. */
export class UnwrapError<E = SessionError> extends Error {
  /** `UnwrapError`. */
  override readonly name = 'UnwrapError';
  /** The error of the result. */
  override readonly cause: E;

  constructor(error: E) {
    super(messageOf(error));
    this.cause = error;
  }
}

const valueOrThrow = <T, E>(result: Result<T, E>): T => {
  if (result.isOk()) return result.value;
  throw new UnwrapError(result.error);
};

const promisedValue = async <T, E>(result: PromiseLike<Result<T, E>>): Promise<T> => valueOrThrow(await result);

/**
 * Returns the value of a result, or throws an `UnwrapError` whose `cause` is the error. For a `ResultAsync`, returns a
 * promise of the value, which rejects with the `UnwrapError`. Also works for results of your own. For scripts, tests
 * and frameworks that handle exceptions.
 *
 *     const { id } = await unwrap(sessions.create({ face: 'ada', profile: 'tutor' }));
 */
export function unwrap<T, E>(result: Result<T, E>): T;
export function unwrap<T, E>(result: PromiseLike<Result<T, E>>): Promise<T>;
export function unwrap<T, E>(result: Result<T, E> | PromiseLike<Result<T, E>>): T | Promise<T> {
  return 'then' in result ? promisedValue(result) : valueOrThrow(result);
}
