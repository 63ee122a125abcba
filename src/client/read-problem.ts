import { type InputIssue, invalidInput, notFound, storeUnavailable } from '../errors.js';
import { isFields } from '../input/values.js';
import { changes } from '../operations/command-operations.js';
import { type AnyOperation, type Operation, type OperationError, wireNamesOf } from '../operations/operation.js';
import type { CallerCommand, SessionCommand } from '../session/session-status.js';
import type { Outcome, RefusalType, Refused, RemoteError, RemoteErrorOf } from './call-error.js';

/** The parts of a request that its response does not repeat. */
interface Context {
  readonly id: string | undefined;
  readonly outcome: Outcome;
}

/** An error response of the service (RFC 9457). */
export interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors: unknown;
}

export type RemoteCode = RemoteError['type'];

const isIssue = (value: unknown): value is InputIssue =>
  isFields(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string';

/** The issues with the names that the caller has used. */
const callersIssues = (operation: AnyOperation, issues: readonly InputIssue[]): readonly InputIssue[] => {
  const names = new Map([...wireNamesOf(operation)].map(([name, wireName]) => [wireName, name]));
  return issues.map(({ path, message }) => ({ path: names.get(path) ?? path, message }));
};

const isCallerCommand = (method: string): method is CallerCommand => Object.hasOwn(changes, method);

const commandOf = ({ calls }: AnyOperation): SessionCommand | 'append' => {
  const { method } = calls ?? {};
  return method !== undefined && isCallerCommand(method) ? method : 'append';
};

/** Rebuilds each error from its response. */
const remote: {
  readonly [T in RemoteCode]: (problem: Problem, operation: AnyOperation, context: Context) => RemoteErrorOf<T>;
} = {
  invalid_input: ({ detail, errors }, operation) => {
    const issues = Array.isArray(errors) ? errors.filter(isIssue) : [];
    if (issues.length === 0) return { type: 'invalid_input', message: detail, issues };
    return invalidInput(callersIssues(operation, issues));
  },
  not_found: (_problem, _operation, { id = '' }) => notFound(id),
  invalid_transition: ({ detail: message }, operation) => ({
    type: 'invalid_transition',
    message,
    command: commandOf(operation),
  }),
  conflict: ({ detail: message }) => ({ type: 'conflict', message }),
  history_full: ({ detail: message }, _operation, { id = '' }) => ({ type: 'history_full', message, id }),
  idempotency_mismatch: ({ detail: message }) => ({ type: 'idempotency_mismatch', message }),
  too_many_streams: ({ detail: message }) => ({ type: 'too_many_streams', message }),
  page_too_large: ({ detail: message }) => ({ type: 'page_too_large', message }),
  corrupt_record: ({ detail: message }, _operation, { id }) => ({ type: 'corrupt_record', message, ...(id && { id }) }),
  store_unavailable: ({ detail }, _operation, { outcome }) => storeUnavailable(detail, outcome),
};

const refusals = {
  unauthenticated: true,
  route_not_found: true,
  method_not_allowed: true,
  body_too_large: true,
  unsupported_media_type: true,
  authenticator_unavailable: true,
  too_many_streams: true,
  misconfigured: true,
} as const satisfies Record<RefusalType, true>;

const isRefusal = (code: string): code is RefusalType => Object.hasOwn(refusals, code);

/** The problem in a body; undefined if it contains none. */
export const readProblem = (body: unknown): Problem | undefined => {
  if (!isFields(body)) return undefined;
  const { code, detail, errors } = body;
  return typeof code === 'string' && typeof detail === 'string' ? { code, detail, errors } : undefined;
};

/** The error for a problem, if the operation or any call may return it; undefined otherwise. */
export const refusalOf = <C extends OperationError>(
  problem: Problem,
  operation: Operation<never, unknown, C>,
  context: Context,
): RemoteErrorOf<C> | Refused | undefined => {
  const { code, detail: message } = problem;
  const known = operation.errors.find((one) => one === code);
  if (known !== undefined) return remote[known](problem, operation, context);
  return isRefusal(code) ? { type: code, message } : undefined;
};
