import { httpStatuses } from '../service/http-status-of.js';
import type { SessionError } from '../session/errors.js';
import { problemStatuses } from './problem-body.js';

/** An error of the handler itself, without data of a session. */
interface Refusal<Type extends string> {
  /** Distinguishes the errors; the `code` of the response. */
  readonly type: Type;
  /** For logs. The response has a fixed text. */
  readonly message: string;
}

/** The API key is missing or wrong. */
export interface Unauthenticated extends Refusal<'unauthenticated'> {}

/** The path exists, but not with this method. */
export interface MethodNotAllowed extends Refusal<'method_not_allowed'> {
  /** The methods of the path, in the form of the `Allow` header. */
  readonly allow: string;
}

/** The path is unknown. Only mounts without a next handler return it. */
export interface RouteNotFound extends Refusal<'route_not_found'> {}

/** The `Content-Type` is not JSON in UTF-8, or the body is compressed. */
export interface UnsupportedMediaType extends Refusal<'unsupported_media_type'> {}

/** The body is larger than `maxBodyBytes`. */
export interface BodyTooLarge extends Refusal<'body_too_large'> {}

/** The host's authenticator failed or timed out. */
export interface AuthenticatorUnavailable extends Refusal<'authenticator_unavailable'> {
  /** The error of the authenticator, if it threw one; for logs only. */
  readonly cause?: unknown;
}

/** The maximum number of open streams or waiting requests is reached, in total or per tenant. */
export interface TooManyStreams extends Refusal<'too_many_streams'> {}

/** Every error that a response can contain. `type` is the `code` of the response. */
export type HandlerError =
  | SessionError
  | Unauthenticated
  | MethodNotAllowed
  | RouteNotFound
  | UnsupportedMediaType
  | BodyTooLarge
  | AuthenticatorUnavailable
  | TooManyStreams;

type Code = HandlerError['type'];

/**
 * The `detail` of each error in a response: fixed texts, because messages may contain data that
 * only the host may see.
 */
export const details = {
  invalid_input: '',
  not_found: 'There is no such session, or no such message.',
  // An example, for the OpenAPI document: each response names its status and command.
  invalid_transition: 'a session that is PAUSED does not allow pause',
  leased: 'Another holder has the session.',
  lease_lost: 'The fencing token is not that of the current lease.',
  cancelled: 'The work on the session was cancelled.',
  conflict:
    'Other requests changed the session at the same time, or since the revision of this request. Try again.',
  history_full:
    'The history of the session has reached the maximum number of entries or of rewinds.',
  inbox_full: 'The inbox of the session has reached the maximum number of messages.',
  not_answered: 'Nobody has answered the message yet. After the end of its session, nobody will.',
  withdrawn: 'The message was withdrawn.',
  superseded: 'A rewind has taken the message out of the history.',
  history_moved: 'The history has changed: it does not end at if_position.',
  too_many_active:
    'The tenant has reached its maximum number of live sessions (ACTIVE or PAUSED). Try again when one has ended.',
  operation_mismatch:
    'This Idempotency-Key, or this id of a message, was used before for something else on this session.',
  id_taken: 'Another session has this id.',
  idempotency_mismatch: 'This Idempotency-Key was used before with another body.',
  page_too_large:
    'The page is larger than this service allows. Ask for a smaller limit, or for shorter histories by history_limit.',
  search_too_large:
    'The list examines more than 10000 sessions. Narrow it with labels, status, created_after or created_before.',
  corrupt_record: 'The stored session cannot be read.',
  misconfigured: 'This service is not set up correctly.',
  store_unavailable: 'The sessions cannot be reached at the moment. Try again later.',
  unauthenticated: 'The header X-API-KEY must carry a valid API key.',
  route_not_found: 'There is nothing at this path.',
  method_not_allowed:
    'This path does not support this method. The header Allow lists the methods that it supports.',
  body_too_large: 'The body is larger than this service accepts.',
  unsupported_media_type:
    'The body must be sent as Content-Type: application/json, in UTF-8 and uncompressed.',
  authenticator_unavailable: 'API keys cannot be checked at the moment. Try again later.',
  too_many_streams:
    'The maximum number of event streams or waiting requests is open. Try again later.',
} as const satisfies Readonly<Record<Code, string>>;

export const refusal = <C extends Exclude<Code, SessionError['type']>>(type: C) => ({
  type,
  message: details[type],
});

/** 405 for a method that this path does not support. */
export const methodRefusal = (
  { method }: { readonly method: string },
  known: readonly string[] = ['GET', 'HEAD'],
): MethodNotAllowed | undefined => {
  if (known.includes(method)) return undefined;
  return { ...refusal('method_not_allowed'), allow: known.join(', ') };
};

/** A store that breaks its contract may return anything. */
export const isSessionError = (error: SessionError): boolean =>
  Object.hasOwn(httpStatuses, error.type);

export const statusOf = (code: Code): (typeof problemStatuses)[Code] => problemStatuses[code];
