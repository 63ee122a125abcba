import type { Endpoint, OperationError } from '../endpoints/endpoint.js';
import { problemExtensions } from '../endpoints/problem-extensions.js';
import type { Out } from '../schema/schema.js';
import { didYouMean, nearest } from '../schema/unknown-fields.js';
import { anyText } from '../schema/values.js';
import { received, wireObject } from '../schema/wire.js';
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
import { givenName } from './sent-name.js';

/** Renames the issues to the client's parameters. Only the client knows its own names. */
const inClientNames = (
  { operation: { headers = {} }, ownNames }: ClientRequest,
  message: string,
  issues: readonly InputIssue[] = [],
): InvalidInput => {
  if (issues.length === 0) return { type: 'invalid_input', message, issues };
  const names = new Map(Object.entries(headers).map(([name, { wireName }]) => [wireName, name]));
  names.set('session_id', 'id');
  return invalidInput(
    issues.map(({ path: sent, message: rule }) => {
      const path = names.get(sent) ?? sent.replace(/^\w+/, givenName);
      const hint = rule === 'is unknown' ? didYouMean(nearest(path, ownNames)) : '';
      return { path, message: rule.replace(/\w+(?=\?\)$)/, givenName) + hint };
    }),
  );
};

const commands = [
  ...(['start', 'pause', 'resume', 'terminate', 'fail', 'extend', 'spend'] as const),
  ...(['append', 'rewind', 'send', 'take', 'wake', 'cancel'] as const),
];

/** The command that the status of the session does not allow. `renew` counts as `lease`. */
const commandOf = ({ path }: Endpoint): InvalidTransition['command'] =>
  commands.find((each) => path.startsWith(`/${each}-`)) ?? 'lease';

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

const problem = wireObject({ code: anyText, detail: anyText, ...problemExtensions });

/** The error for a code of the service, completed with data of the request. */
const remoteErrorOf = (
  code: OperationError | RefusalType,
  { detail: message, errors, position, holder, until, reason }: Out<typeof problem>,
  request: ClientRequest,
  outcome: Outcome,
): RemoteError | Refused | undefined => {
  const { operation, id } = request;
  switch (code) {
    case 'invalid_input':
      return inClientNames(request, message, errors);
    case 'not_found':
      // The message of a wait for an answer may be missing instead.
      if (operation.path.endsWith('/answer')) return notFound(id, message);
      return notFound(id);
    case 'invalid_transition':
      return { type: code, message, command: commandOf(operation) };
    case 'history_full':
    case 'inbox_full':
    case 'not_answered':
    case 'withdrawn':
    case 'superseded':
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

/**
 * The error in a problem (RFC 9457) of the service; undefined if the body is not a problem, or not
 * one of this operation.
 */
export const errorInProblem = <C extends OperationError>(
  body: unknown,
  request: ClientRequest<C>,
  outcome: Outcome,
): RemoteErrorOf<C> | Refused | undefined => {
  const told = received(problem, body);
  if (told === undefined) return undefined;
  const { code } = told;
  const ownType = request.operation.errors.find((each) => each === code);
  const type = isRefusal(code) ? code : ownType;
  if (type === undefined) return undefined;
  const error = remoteErrorOf(type, told, request, outcome);
  const isExpected = (one: typeof error): one is RemoteErrorOf<C> | Refused => one?.type === type;
  return isExpected(error) ? error : undefined;
};
