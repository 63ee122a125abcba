import type { ProblemExtensions } from '../endpoints/problem-extensions.js';
import { invalidInput, invalidTransition } from '../session/errors.js';
import { details, type HandlerError, statusOf } from './handler-error.js';
import { titles } from './problem-body.js';
import type { HandlerResponse } from './session-handler.js';

type Code = HandlerError['type'];

type ProblemStatus = ReturnType<typeof statusOf>;

/**
 * Headers of every response with a body. Sessions are private and change every second, so nothing
 * may be cached.
 */
export const commonHeaders = Object.freeze({
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
});

const statusHeaders: Partial<Record<ProblemStatus, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'ApiKey' },
  429: { 'Retry-After': '1' },
  503: { 'Retry-After': '1' },
};

export const problemOf = (
  code: Code,
  headers: HandlerResponse['headers'] = {},
  problemExtensions: ProblemExtensions = {},
  message: string = details[code],
): HandlerResponse => {
  const status = statusOf(code);
  const { errors } = problemExtensions;
  const detail = errors ? invalidInput(errors).message : message;
  const body = {
    type: 'about:blank',
    title: titles[status],
    status,
    detail,
    code,
    ...problemExtensions,
  };
  return Object.freeze({
    status,
    headers: Object.freeze({ ...commonHeaders, ...statusHeaders[status], ...headers }),
    body: JSON.stringify(body),
  });
};

export const jsonResponse = (
  status: number,
  headers: HandlerResponse['headers'],
  value: unknown,
): HandlerResponse => ({
  status,
  headers: { ...commonHeaders, ...headers },
  body: JSON.stringify(value),
});

/** Constant responses are cached: rejecting a request must cost almost nothing. */
const prepared = new Map<Code, HandlerResponse>();

/** The response to an error (RFC 9457), with `code`, and with `errors` for invalid input. */
export const problem = (error: HandlerError): HandlerResponse => {
  const { type } = error;
  if (type === 'invalid_input') return problemOf(type, {}, { errors: error.issues });
  if (type === 'history_moved') return problemOf(type, {}, { position: error.position });
  if (type === 'leased') return problemOf(type, {}, { holder: error.holder, until: error.until });
  if (type === 'cancelled') return problemOf(type, {}, { reason: error.reason });
  if (type === 'invalid_transition') {
    // Built again, because the message of a foreign error may contain anything.
    const { message } = invalidTransition(error.status, error.command);
    return problemOf(type, {}, {}, message);
  }
  if (type === 'method_not_allowed') return problemOf(type, { Allow: error.allow });
  const response = prepared.get(type) ?? problemOf(type);
  prepared.set(type, response);
  return response;
};

/** The response to an unknown path, for mounts without a next handler. */
export const routeNotFound: HandlerResponse = problemOf('route_not_found');
