import { append, changes, rewind } from '../operations/command-operations.js';
import { type AnyOperation, type OperationError, wireNamesOf } from '../operations/operation.js';
import { type Particulars, particulars } from '../operations/particulars.js';
import { object, text } from '../operations/shape.js';
import {
  type InputIssue,
  type InvalidInput,
  type InvalidTransition,
  invalidInput,
  misconfigured,
  notFound,
  storeUnavailable,
} from '../session/errors.js';
import type { Outcome, RefusalType, Refused, RemoteError, RemoteErrorOf } from './client-error.js';
import type { ClientRequest } from './client-request.js';

/** The issues with the names of the client's methods. */
const inClientNames = (
  operation: AnyOperation,
  message: string,
  issues: readonly InputIssue[] = [],
): InvalidInput => {
  if (issues.length === 0) return { type: 'invalid_input', message, issues };
  const names = new Map([...wireNamesOf(operation)].map(([name, wireName]) => [wireName, name]));
  return invalidInput(
    issues.map(({ path, message: rule }) => ({ path: names.get(path) ?? path, message: rule })),
  );
};

const commands = { ...changes, append, rewind };

const isCommand = (method = ''): method is keyof typeof commands => Object.hasOwn(commands, method);

/** The command that the status of the session does not allow. */
const commandOf = ({ calls }: AnyOperation): InvalidTransition['command'] =>
  isCommand(calls?.method) ? calls.method : 'lease';

const refusals = {
  unauthenticated: true,
  route_not_found: true,
  method_not_allowed: true,
  body_too_large: true,
  unsupported_media_type: true,
  authenticator_unavailable: true,
  too_many_streams: true,
} as const satisfies Record<RefusalType, true>;

const isRefusal = (code: string): code is RefusalType => Object.hasOwn(refusals, code);

/** The error for a code of the service, completed with data of the request. */
const remoteErrorOf = (
  code: OperationError | RefusalType,
  message: string,
  { errors, position, holder, until, reason }: Particulars,
  { operation, id }: ClientRequest,
  outcome: Outcome,
): RemoteError | Refused | undefined => {
  switch (code) {
    case 'invalid_input':
      return inClientNames(operation, message, errors);
    case 'not_found':
      return notFound(id);
    case 'invalid_transition':
      return { type: code, message, command: commandOf(operation) };
    case 'history_full':
    case 'id_taken':
      return { type: code, message, id };
    case 'corrupt_record':
      return { type: code, message, ...(id && { id }) };
    case 'store_unavailable':
      return storeUnavailable(message, outcome);
    case 'misconfigured':
      return misconfigured(message);
    case 'history_moved':
      return position === undefined ? undefined : { type: code, message, id, position };
    case 'leased':
      return holder && until ? { type: code, message, holder, until } : undefined;
    case 'cancelled':
      return { type: code, message, ...(reason !== undefined && { reason }) };
    default:
      return { type: code, message };
  }
};

const problemShape = object({ code: text, detail: text });

/**
 * The error in a problem (RFC 9457) of the service; undefined if the body is not a problem, or not
 * one of this operation.
 */
export const errorInProblem = <C extends OperationError>(
  body: unknown,
  request: ClientRequest<C>,
  outcome: Outcome,
): RemoteErrorOf<C> | Refused | undefined => {
  const problem = problemShape.read(body);
  if (problem === undefined) return undefined;
  const { code, detail } = problem;
  const ownType = request.operation.errors.find((each) => each === code);
  const type = isRefusal(code) ? code : ownType;
  if (type === undefined) return undefined;
  const error = remoteErrorOf(type, detail, particulars.read(body) ?? {}, request, outcome);
  const isExpected = (one: typeof error): one is RemoteErrorOf<C> | Refused => one?.type === type;
  return isExpected(error) ? error : undefined;
};
