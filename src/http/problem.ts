import type { InputIssue, SessionError } from '../errors.js';
import type { HandlerError } from './handler-error.js';
import type { HandlerResponse } from './session-handler.js';

type OwnError = Exclude<HandlerError, SessionError>;

const statusOfSessionError = {
  invalid_input: 400,
  not_found: 404,
  invalid_transition: 409,
  conflict: 409,
  history_full: 409,
  idempotency_mismatch: 422,
  page_too_large: 422,
  corrupt_record: 500,
  store_unavailable: 503,
} as const satisfies Record<SessionError['type'], number>;

const statusOfOwnError = {
  unauthenticated: 401,
  route_not_found: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  unsupported_media_type: 415,
  authenticator_unavailable: 503,
  too_many_streams: 503,
  misconfigured: 503,
} as const satisfies Record<OwnError['type'], number>;

export const statuses = { ...statusOfSessionError, ...statusOfOwnError };

/** The phrases of RFC 9110: RFC 9457 requires them for the type `about:blank`. */
export const titles = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const satisfies Record<(typeof statuses)[HandlerError['type']], string>;

/**
 * Messages for clients. They are fixed texts, because the message of an error may contain details that only the host
 * may see.
 */
export const details = {
  not_found: 'There is no such session.',
  invalid_transition: 'The status of the session does not allow this.',
  conflict: 'Others kept changing the session at the same time. Try again.',
  history_full: 'The history of the session has as many entries as this service allows.',
  idempotency_mismatch: 'This Idempotency-Key was used before with another body.',
  page_too_large:
    'The page is larger than this service allows. Ask for a smaller limit, or for shorter histories by history_limit.',
  corrupt_record: 'The stored session cannot be read.',
  store_unavailable: 'The sessions cannot be reached at the moment. Try again later.',
  unauthenticated: 'The header X-API-KEY must carry a valid API key.',
  route_not_found: 'There is nothing at this path.',
  method_not_allowed: 'This path does not know this method; the header Allow names those that it knows.',
  body_too_large: 'The body is larger than this service accepts.',
  unsupported_media_type: 'The body must be sent as Content-Type: application/json, in UTF-8 and uncompressed.',
  authenticator_unavailable: 'API keys cannot be checked at the moment. Try again later.',
  too_many_streams: 'As many streams of events are open as this service allows. Try again later.',
  misconfigured: 'This service is not set up correctly.',
} as const satisfies Record<Exclude<HandlerError['type'], 'invalid_input'>, string>;

const RETRY_AFTER_SECONDS = '1';

/** Headers of every response. Sessions are private and change every second, so nothing may be cached. */
export const commonHeaders = Object.freeze({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });

/** Whether the error is a known one. A store that breaks its contract may return anything. */
export const isSessionError = (error: SessionError): boolean => Object.hasOwn(statusOfSessionError, error.type);

export const statusOf = (error: HandlerError): number => statuses[error.type];

interface Particulars {
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors?: readonly InputIssue[];
}

const compose = (code: HandlerError['type'], { detail, headers, errors }: Particulars): HandlerResponse => {
  const status = statuses[code];
  const body = { type: 'about:blank', title: titles[status], status, detail, code, ...(errors && { errors }) };
  return Object.freeze({
    status,
    headers: Object.freeze({ ...commonHeaders, ...headers }),
    body: JSON.stringify(body),
  });
};

const fixedHeaders = (code: keyof typeof details): Readonly<Record<string, string>> => {
  if (code === 'unauthenticated') return { 'WWW-Authenticate': 'ApiKey' };
  return statuses[code] === 503 ? { 'Retry-After': RETRY_AFTER_SECONDS } : {};
};

/** Cache of constant responses: rejecting a request must cost almost nothing. */
const prepared = new Map<HandlerError['type'], HandlerResponse>();

export const fixed = (code: keyof typeof details): HandlerResponse => {
  const response = prepared.get(code) ?? compose(code, { detail: details[code], headers: fixedHeaders(code) });
  prepared.set(code, response);
  return response;
};

const sentence = (issues: readonly InputIssue[]): string =>
  issues.map(({ path, message }) => `${path} ${message}`).join('; ');

/** The response to an error (RFC 9457), with `code`, and with `errors` for invalid input. */
export const problem = (error: HandlerError): HandlerResponse => {
  const { type } = error;
  if (type === 'invalid_input') return compose(type, { detail: sentence(error.issues), errors: error.issues });
  if (type === 'method_not_allowed') return compose(type, { detail: details[type], headers: { Allow: error.allow } });
  return fixed(type);
};

/** The response to an unknown path, for mounts without a next handler. */
export const routeNotFound: HandlerResponse = fixed('route_not_found');
