import { type InputIssue, invalidInput, notFound, storeUnavailable } from '../errors.js';
import { isFields } from '../input/values.js';
import type { SessionCommand } from '../status.js';
import { wireNames } from '../wire.js';
import type { Outcome, RefusalType, Refused, RemoteError, RemoteErrorOf } from './errors.js';

/** What a call knows of itself that the answer does not repeat. */
export interface Context {
  readonly id: string;
  readonly command: SessionCommand | 'append';
  readonly outcome: Outcome;
}

/** The answer of the engine to a call that it does not carry out, RFC 9457. */
export interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors: unknown;
}

export type RemoteCode = RemoteError['type'];

/** What a client sends, by the name that the caller knows it under. */
const callersPaths: ReadonlyMap<string, string> = new Map(
  Object.entries(wireNames).map(([name, wireName]) => [wireName, name]),
);

const isIssue = (value: unknown): value is InputIssue =>
  isFields(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string';

const callersIssue = ({ path, message }: InputIssue, command: Context['command'] | undefined): InputIssue => {
  const keyName = command === undefined ? 'idempotencyKey' : 'operationId';
  return { path: path === wireNames.idempotencyKey ? keyName : (callersPaths.get(path) ?? path), message };
};

/** How each error is put together again. */
const remote: { readonly [T in RemoteCode]: (problem: Problem, context: Partial<Context>) => RemoteErrorOf<T> } = {
  invalid_input: ({ detail, errors }, { command }) => {
    const issues = Array.isArray(errors) ? errors.filter(isIssue) : [];
    if (issues.length === 0) return { type: 'invalid_input', message: detail, issues };
    return invalidInput(issues.map((issue) => callersIssue(issue, command)));
  },
  not_found: (_, { id = '' }) => notFound(id),
  invalid_transition: ({ detail: message }, { command = 'append' }) => ({
    type: 'invalid_transition',
    message,
    command,
  }),
  conflict: ({ detail: message }) => ({ type: 'conflict', message }),
  history_full: ({ detail: message }, { id = '' }) => ({ type: 'history_full', message, id }),
  idempotency_mismatch: ({ detail: message }) => ({ type: 'idempotency_mismatch', message }),
  corrupt_record: ({ detail: message }, { id }) => ({ type: 'corrupt_record', message, ...(id && { id }) }),
  store_unavailable: ({ detail }, { outcome = 'unknown' }) => storeUnavailable(detail, outcome),
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

/** The problem that a body tells of, if it does. */
export const readProblem = (body: unknown): Problem | undefined => {
  if (!isFields(body)) return undefined;
  const { code, detail, errors } = body;
  return typeof code === 'string' && typeof detail === 'string' ? { code, detail, errors } : undefined;
};

/** A problem as an error: one of those that the operation has, or of those that any has. */
export const refusalOf = <C extends RemoteCode>(
  problem: Problem,
  codes: readonly C[],
  context: Partial<Context>,
): RemoteErrorOf<C> | Refused | undefined => {
  const { code, detail: message } = problem;
  const known = codes.find((one) => one === code);
  if (known !== undefined) return remote[known](problem, context);
  return isRefusal(code) ? { type: code, message } : undefined;
};
