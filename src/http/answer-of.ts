import { err, type Result, type ResultAsync } from 'neverthrow';
import { type AnyOperation, wireNamesOf } from '../endpoints/endpoint.js';
import {
  type InvalidInput,
  invalidInput,
  type Misconfigured,
  misconfigured,
  type SessionError,
  storeUnavailable,
} from '../session/errors.js';
import { timedOut, withTimeout } from '../session/with-timeout.js';
import { type HandlerError, isSessionError } from './handler-error.js';
import type { Call } from './route.js';

/**
 * Translates the issues of an error to wire names. If an issue names something that the request
 * does not contain, for example the tenant, the host's setup is wrong, and the error becomes
 * `misconfigured`.
 */
const inWireNames = (
  operation: AnyOperation,
  { issues, message: setup }: InvalidInput,
): InvalidInput | Misconfigured => {
  const names = wireNamesOf(operation);
  const named = issues.flatMap(({ path, message }) => {
    const [field = ''] = path.split(/[.[]/, 1);
    const name = names.get(field);
    return name === undefined ? [] : [{ path: `${name}${path.slice(field.length)}`, message }];
  });
  if (named.length < issues.length) return misconfigured(setup);
  return invalidInput(named);
};

/**
 * Translates an error of the service to wire names. An unknown error becomes `store_unavailable`.
 */
export const inClientTerms = (operation: AnyOperation, error: SessionError): HandlerError => {
  if (error.type === 'invalid_input') return inWireNames(operation, error);
  if (isSessionError(error)) return error;
  return storeUnavailable('the store returned an unknown error', 'unknown', error);
};

/**
 * The result of a service call, with wire names in its error. Fails with `store_unavailable` after
 * the handler's `timeoutMs`.
 *
 * @example
 * ```ts
 * const answer: Route['answer'] = async (call) => {
 *   const found = await answerOf(call, call.sessions.get(call.id, { historyLimit: 0 }));
 *   return found.map(({ historyCount }) => ({
 *     status: 200,
 *     headers: { 'Content-Type': 'application/json' },
 *     body: JSON.stringify({ length: historyCount }),
 *   }));
 * };
 * ```
 */
export const answerOf = async <T, E extends SessionError>(
  { handler, operation }: Pick<Call<unknown>, 'handler' | 'operation'>,
  answer: ResultAsync<T, E>,
): Promise<Result<T, HandlerError>> => {
  const result = await withTimeout(handler.timeoutMs, answer);
  if (result === timedOut)
    return err(storeUnavailable('the store took too long to answer', 'unknown'));
  return result.mapErr((error) => inClientTerms(operation, error));
};
