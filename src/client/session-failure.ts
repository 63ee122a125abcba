import type { CallbackFailed } from '../session/errors.js';
import { SessionFailure as Failure } from '../session/session-failure.js';
import type { ClientError } from './client-error.js';

/**
 * Thrown by the client's `orThrow` operations: errors of the service and of the connection.
 */
export type SessionFailure = Failure<ClientError | CallbackFailed>;

/**
 * The class of `SessionFailure`, for `instanceof`.
 *
 * @example
 * ```ts
 * try {
 *   await client.orThrow.get('no-such-id');
 * } catch (failure) {
 *   if (!(failure instanceof SessionFailure)) throw failure;
 *   console.log(failure.type); // not_found
 * }
 * ```
 */
export const SessionFailure: {
  new (error: ClientError | CallbackFailed): SessionFailure;
  readonly [Symbol.hasInstance]: (value: unknown) => value is SessionFailure;
} = Failure;
