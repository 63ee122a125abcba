import { httpStatuses } from '../service/http-status-of.js';
import { type InputIssue, invalidInput, type SessionError } from '../session/errors.js';
import type { HandlerResponse } from './session-handler.js';

/** An error of the handler itself, without anything of a session. */
interface Refusal<Type extends string> {
  /** Tells the errors apart; the `code` of the response. */
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

/** The path is unknown. Only mounts without a next handler answer with it. */
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

/** The maximum number of open streams is reached, in total or for the tenant. */
export interface TooManyStreams extends Refusal<'too_many_streams'> {}

/** Every error that the handler answers with. `type` is the `code` of the response. */
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

const statuses = {
  ...httpStatuses,
  unauthenticated: 401,
  route_not_found: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  unsupported_media_type: 415,
  authenticator_unavailable: 503,
  too_many_streams: 503,
} as const satisfies Readonly<Record<Code, number>>;

/** The detail of each error: fixed texts, because the message of an error may contain texts that only the host may see. */
const details = {
  invalid_input: '',
  not_found: 'There is no such session.',
  invalid_transition: 'The status of the session does not allow this.',
  leased: 'Another holder has the session.',
  lease_lost: 'The fencing token is not that of the current lease.',
  conflict: 'Other requests changed the session at the same time. Try again.',
  history_full: 'The history of the session has reached the maximum number of entries.',
  history_moved: 'The history has changed: it does not end at if_position, or the entry at after was superseded.',
  too_many_active: 'The tenant has reached its maximum number of active sessions. Try again when one has ended.',
  operation_mismatch: 'This Idempotency-Key was used before for another operation on this session.',
  idempotency_mismatch: 'This Idempotency-Key was used before with another body.',
  page_too_large:
    'The page is larger than this service allows. Ask for a smaller limit, or for shorter histories by history_limit.',
  too_many_labelled:
    'More than 10000 sessions have each label of this list: too many to look at. Bound it with created_after or created_before.',
  corrupt_record: 'The stored session cannot be read.',
  misconfigured: 'This service is not set up correctly.',
  store_unavailable: 'The sessions cannot be reached at the moment. Try again later.',
  unauthenticated: 'The header X-API-KEY must carry a valid API key.',
  route_not_found: 'There is nothing at this path.',
  method_not_allowed: 'This path does not support this method. The header Allow lists the methods that it supports.',
  body_too_large: 'The body is larger than this service accepts.',
  unsupported_media_type: 'The body must be sent as Content-Type: application/json, in UTF-8 and uncompressed.',
  authenticator_unavailable: 'API keys cannot be checked at the moment. Try again later.',
  too_many_streams: 'The maximum number of event streams is open. Try again later.',
} as const satisfies Readonly<Record<Code, string>>;

/** An error that says nothing but its type, for a request that the handler refuses. */
export const refusal = <C extends Exclude<Code, SessionError['type']>>(type: C) => ({
  type,
  message: details[type],
});

type ProblemStatus = (typeof statuses)[Code];

export const problemCodes = Object.keys(statuses);

/** The phrases of RFC 9110: RFC 9457 requires them for the type `about:blank`. */
export const titles = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const satisfies Readonly<Record<ProblemStatus, string>>;

/** Headers of every response with a body. Sessions are private and change every second, so nothing may be cached. */
export const commonHeaders = Object.freeze({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });

const statusHeaders: Partial<Record<ProblemStatus, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'ApiKey' },
  429: { 'Retry-After': '1' },
  503: { 'Retry-After': '1' },
};

/** Whether the error is a known one. A store that breaks its contract may return anything. */
export const isSessionError = (error: SessionError): boolean => Object.hasOwn(httpStatuses, error.type);

export const statusOf = (code: Code): ProblemStatus => statuses[code];

/** What a response says beyond its code: the issues of invalid input, and the state that refused a request. */
interface Particulars {
  readonly errors?: readonly InputIssue[];
  readonly position?: number;
  readonly holder?: string;
  readonly until?: string;
}

/** The response to an error by its code; `headers` has `Allow` for a wrong method. */
export const problemOf = (
  code: Code,
  headers: HandlerResponse['headers'] = {},
  particulars: Particulars = {},
): HandlerResponse => {
  const status = statuses[code];
  const detail = particulars.errors === undefined ? details[code] : invalidInput(particulars.errors).message;
  const body = { type: 'about:blank', title: titles[status], status, detail, code, ...particulars };
  return Object.freeze({
    status,
    headers: Object.freeze({ ...commonHeaders, ...statusHeaders[status], ...headers }),
    body: JSON.stringify(body),
  });
};

/** Cache of constant responses: rejecting a request must cost almost nothing. */
const prepared = new Map<Code, HandlerResponse>();

/** The response to an error (RFC 9457), with `code`, and with `errors` for invalid input. */
export const problem = (error: HandlerError): HandlerResponse => {
  const { type } = error;
  if (type === 'invalid_input') return problemOf(type, {}, { errors: error.issues });
  if (type === 'history_moved') return problemOf(type, {}, { position: error.position });
  if (type === 'leased') return problemOf(type, {}, { holder: error.holder, until: error.until });
  if (type === 'method_not_allowed') return problemOf(type, { Allow: error.allow });
  const response = prepared.get(type) ?? problemOf(type);
  prepared.set(type, response);
  return response;
};

/** The response to an unknown path, for mounts without a next handler. */
export const routeNotFound: HandlerResponse = problemOf('route_not_found');
