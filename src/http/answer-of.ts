import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { type InvalidInput, invalidInput, type SessionError, storeUnavailable } from '../errors.js';
import { type IssueList, readSafely } from '../input/read-safely.js';
import type { Fields } from '../input/values.js';
import {
  type AnyOperation,
  type Operation,
  type OperationInput,
  type Output,
  type QueryParameter,
  wireNamesOf,
} from '../operations/operation.js';
import { wireName } from '../operations/shape.js';
import type { Reservation } from './answer-budget.js';
import { type HandlerError, type Misconfigured, misconfigured } from './handler-error.js';
import { commonHeaders, isSessionError } from './problem.js';
import { readJsonObject } from './read-json-object.js';
import type { Answer, Call } from './route.js';
import type { HandlerRequest, HandlerResponse } from './session-handler.js';
import { timedOut, withTimeout } from './with-timeout.js';

const names = new WeakMap<AnyOperation, ReadonlyMap<string, string>>();

/** The wire name of `path`, such as `entries`, or of a place within it; undefined for an unknown name. */
const wirePathOf = (operation: AnyOperation, path: string): string | undefined => {
  const known = names.get(operation) ?? wireNamesOf(operation);
  names.set(operation, known);
  const end = path.search(/[.[]|$/);
  const name = known.get(path.slice(0, end));
  return name === undefined ? undefined : `${name}${path.slice(end)}`;
};

/**
 * Translates the issues of an error to wire names. If an issue names anything else, the error is about the host's
 * setup, such as the clock or the tenant, and is reported as `misconfigured`.
 */
const inWireNames = (operation: AnyOperation, { issues }: InvalidInput): InvalidInput | Misconfigured => {
  const named = issues.flatMap(({ path, message }) => {
    const wirePath = wirePathOf(operation, path);
    return wirePath === undefined ? [] : [{ path: wirePath, message }];
  });
  return named.length === issues.length ? invalidInput(named) : misconfigured(issues);
};

/** Translates an error of the service to wire names. An unknown error becomes `store_unavailable`. */
export const inClientTerms = (operation: AnyOperation, error: SessionError): HandlerError => {
  if (error.type === 'invalid_input') return inWireNames(operation, error);
  return isSessionError(error) ? error : storeUnavailable('the store gave an unknown error', 'unknown', error);
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

/** A quoted string (RFC 9651, 3.3.3), as draft-ietf-httpapi-idempotency-key-header requires. */
const quoted = /^"([^"\\]*)"$/;

/** The idempotency key of a request, quoted or not, without the quotes. */
export const idempotencyKeyOf = (request: HandlerRequest): string | undefined => {
  const value = request.header('idempotency-key');
  return value === undefined ? undefined : (quoted.exec(value)?.[1] ?? value);
};

const wholeNumber = /^(?:0|[1-9]\d*)$/;

const readParameter = (issues: IssueList, parameters: URLSearchParams, name: string, rule: QueryParameter): unknown => {
  const text = parameters.get(name);
  if (text === null) return undefined;
  issues.check(parameters.getAll(name).length === 1, name, 'must be given once');
  if (rule.kind === 'text') return text;
  const { least, most = Number.MAX_SAFE_INTEGER } = rule;
  const fits = wholeNumber.test(text) && Number(text) >= least;
  issues.check(fits, name, `must be a whole number, at least ${least}, in decimal digits`);
  return Math.min(Number(text), most);
};

const noFields: Fields = Object.freeze({});

/** The query parameters of an operation, by their names in the service. Unknown parameters are ignored. */
export const readQuery = ({ query: rules = {} }: AnyOperation, query: string): Result<Fields, InvalidInput> => {
  if (query === '') return ok(noFields);
  return readSafely('query', (issues) => {
    const parameters = new URLSearchParams(query);
    const found: Record<string, unknown> = {};
    for (const [name, rule] of Object.entries(rules)) {
      const value = readParameter(issues, parameters, wireName(name), rule);
      if (value !== undefined) found[name] = value;
    }
    return found;
  });
};

/** The fields of an operation's body, by their names in the service. */
export const readBody = async ({
  request,
  operation,
  handler,
}: Call<unknown>): Promise<Result<Fields, HandlerError>> => {
  const { fields = {} } = operation.body ?? {};
  const body = await readJsonObject(request, handler.maxBodyBytes);
  return body.map((sent) => Object.fromEntries(Object.keys(fields).map((name) => [name, sent[wireName(name)]])));
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
  const answer = await read(reservation);
  if (answer.isOk() && answer.value.body !== undefined && request.onClose !== undefined) {
    request.onClose(reservation.release);
  } else reservation.release();
  return answer;
};

/** Headers of an answer without a body. */
const bareHeaders = Object.freeze({ 'Cache-Control': commonHeaders['Cache-Control'] });

/**
 * Writes the response, and checks it against the shape: data from a store that breaks its contract must not be sent.
 */
const responseOf = ({ status, shape }: Output, value: unknown): Result<HandlerResponse, HandlerError> => {
  if (shape === undefined) return ok({ status, headers: bareHeaders });
  const body = shape.write(value);
  if (shape.read(body) === undefined) return err(storeUnavailable('the store gave something else', 'unknown'));
  return ok({ status, headers: commonHeaders, body: JSON.stringify(body) });
};

const readInput = async (call: Call<unknown>): Promise<Result<OperationInput, HandlerError>> => {
  const { id, operation } = call;
  const query = readQuery(operation, call.query);
  if (query.isErr()) return err(query.error);
  const body = operation.body === undefined ? ok(noFields) : await readBody(call);
  if (body.isErr()) return err(body.error);
  const operationId = operation.headers?.['operationId'] && idempotencyKeyOf(call.request);
  return ok({ id, query: query.value, body: body.value, options: operationId === undefined ? {} : { operationId } });
};

/** Answers with the result of the service method that the operation names. */
export const answerByCalling = async <S>(operation: Operation<S>, call: Call<S>): Answer => {
  const { calls, output, method } = operation;
  if (calls === undefined || typeof Reflect.get(Object(call.sessions), calls.method) !== 'function') {
    return err(misconfigured([{ path: 'sessions', message: `must have ${calls?.method} for ${operation.path}` }]));
  }
  const input = await readInput(call);
  if (input.isErr()) return err(input.error);
  const answer = async (): Answer => {
    const result = await answerOf(call, calls.call(call.sessions, input.value));
    return result.andThen((value) => responseOf(output, value));
  };
  if (method !== 'GET') return answer();
  return withinBudget(call, async ({ admit }) => {
    const answered = await answer();
    return answered.andThen((response) => (admit(response.body?.length ?? 0) ? ok(response) : noRoom));
  });
};
