import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { hasMethods, isFields } from '../input/parse-fields.js';
import { type AnyOperation, type Operation, type Output, wireNamesOf } from '../operations/operation.js';
import { REPLAYED_HEADER } from '../operations/outputs.js';
import {
  type InvalidInput,
  invalidInput,
  type Misconfigured,
  misconfigured,
  type SessionError,
  storeUnavailable,
} from '../session/errors.js';
import { commonHeaders, type HandlerError, isSessionError } from './handler-error.js';
import { inputReader } from './read-input.js';
import type { Answer, Call } from './route.js';
import type { HandlerResponse } from './session-handler.js';
import type { Reservation } from './tenant-budget.js';

/** The result of a timeout. */
export const timedOut = Symbol('timed out');

/** Waits for a promise of the host, at most `ms` milliseconds; then the result is `timedOut`. */
export const withTimeout = <T>(ms: number, answer: PromiseLike<T>): Promise<T | typeof timedOut> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, timedOut);
    const settle =
      <V>(done: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer);
        done(value);
      };
    Promise.resolve(answer).then(settle(resolve), settle(reject));
  });

/**
 * Translates the issues of an error to wire names. If an issue names anything else, the error is about the host's
 * setup, such as the tenant, and is reported as `misconfigured`.
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
  return named.length === issues.length ? invalidInput(named) : misconfigured(setup);
};

/** Translates an error of the service to wire names. An unknown error becomes `store_unavailable`. */
export const inClientTerms = (operation: AnyOperation, error: SessionError): HandlerError => {
  if (error.type === 'invalid_input') return inWireNames(operation, error);
  return isSessionError(error) ? error : storeUnavailable('the store returned an unknown error', 'unknown', error);
};

/** The result of a service call with wire names in its error; `store_unavailable` after the handler's `timeoutMs`. */
export const answerOf = async <T, E extends SessionError>(
  { handler, operation }: Pick<Call<unknown>, 'handler' | 'operation'>,
  answer: ResultAsync<T, E>,
): Promise<Result<T, HandlerError>> => {
  const result = await withTimeout(handler.timeoutMs, answer);
  if (result === timedOut) return err(storeUnavailable('the store took too long to answer', 'unknown'));
  return result.isOk() ? ok(result.value) : err(inClientTerms(operation, result.error));
};

/** The answer while too many large answers are pending. */
const noRoom = err(storeUnavailable('too many large answers are pending', 'not_applied'));

/**
 * Runs a read that may be large within the handler's budget. The room is reserved until the client has received the
 * answer.
 */
export const withinBudget = async <S>(
  { request, handler: { budget }, tenant }: Call<S>,
  read: (reservation: Reservation) => Answer,
): Answer => {
  if (budget.isSpent(tenant)) return noRoom;
  const reservation = budget.reserve(tenant);
  let isPending = false;
  try {
    const answer = await read(reservation);
    if (answer.isOk() && answer.value.body !== undefined && request.onClose !== undefined) {
      request.onClose(reservation.release);
      isPending = true;
    }
    return answer;
  } finally {
    if (!isPending) reservation.release();
  }
};

/** Headers of an answer without a body. */
const bareHeaders = Object.freeze({ 'Cache-Control': commonHeaders['Cache-Control'] });

/** The header for a result that an earlier request with the same key had. */
export const replayedHeaders = (result: unknown): HandlerResponse['headers'] =>
  isFields(result) && result['repeated'] === true ? { [REPLAYED_HEADER]: 'true' } : {};

const responseOf = ({ status, shape, headers }: Output, value: unknown): HandlerResponse => {
  if (shape === undefined) return { status, headers: bareHeaders };
  const own = headers?.includes(REPLAYED_HEADER) ? replayedHeaders(value) : {};
  return { status, headers: { ...commonHeaders, ...own }, body: JSON.stringify(shape.write(value)) };
};

/** The error of the host's setup where the sessions lack a method that an operation calls. */
export const lacksMethod = ({ path }: AnyOperation, method = 'a method') =>
  err(misconfigured(`sessions must have ${method} for ${path}`));

/** Answers with the result of the service method that the operation names. */
export const answerByCalling = <S>(operation: Operation<S>): ((call: Call<S>) => Answer) => {
  const { calls, output, method } = operation;
  const parseInput = inputReader(operation);
  return async (call) => {
    if (calls === undefined || !hasMethods(call.sessions, calls.method)) return lacksMethod(operation, calls?.method);
    const input = await parseInput(call);
    if (input.isErr()) return err(input.error);
    const answer = async (): Answer => {
      const result = await answerOf(call, calls.call(call.sessions, input.value));
      return result.map((value) => responseOf(output, value));
    };
    if (method !== 'GET') return answer();
    return withinBudget(call, async ({ admit }) => {
      const answered = await answer();
      return answered.andThen((response) => (admit(response.body?.length ?? 0) ? ok(response) : noRoom));
    });
  };
};
