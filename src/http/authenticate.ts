import { err, ok, type Result } from 'neverthrow';
import {
  type AuthenticatorUnavailable,
  type Misconfigured,
  misconfigured,
  type Unauthenticated,
} from './handler-error.js';
import type { HandlerRequest } from './session-handler.js';
import { timedOut, withTimeout } from './with-timeout.js';
import { tidyPrefix } from './without-prefix.js';

/** A request without its body, for an authenticator. `header('cookie')` returns its cookies. */
export type AuthenticationRequest = Pick<HandlerRequest, 'method' | 'url' | 'prefix' | 'header'>;

/**
 * Returns the tenant whose sessions a request may access, or undefined to deny access. `key` is the value of
 * `X-API-KEY`. Without the header it is empty, and never `undefined`, because some database libraries take `undefined`
 * for "no condition". To use a cookie or a bearer token, read it from `request`.
 */
export type Authenticate = (
  key: string,
  request: AuthenticationRequest,
) => string | undefined | PromiseLike<string | undefined>;

/** A request that was answered with 401, without its key and query. */
export interface DeniedRequest {
  readonly method: string;
  /** With the mount's prefix, without the query; at most 256 characters. */
  readonly path: string;
  /** `missing`: the request had neither `X-API-KEY` nor `Authorization`. `wrong`: it had one, but no access. */
  readonly reason: 'missing' | 'wrong';
}

type AuthenticationError = Unauthenticated | AuthenticatorUnavailable | Misconfigured;
type Authenticated = Result<string, AuthenticationError>;

const unauthenticated: Authenticated = err({ type: 'unauthenticated' });

const unusable: Authenticated = err(
  misconfigured([{ path: 'authenticate', message: 'must give the name of a tenant, or nothing' }]),
);

const unavailable = (cause?: unknown): Authenticated => err({ type: 'authenticator_unavailable', cause });

/**
 * Checks the host's answer, which may be of any type. A non-empty string is a tenant, a falsy value denies access, and
 * anything else is a misconfiguration.
 */
const readTenant = (answer: unknown): Authenticated => {
  if (!answer) return unauthenticated;
  return typeof answer === 'string' ? ok(answer) : unusable;
};

const isPromise = (answer: ReturnType<Authenticate>): answer is PromiseLike<string | undefined> =>
  typeof answer === 'object' && answer !== null && typeof answer.then === 'function';

const readLater = async (timeoutMs: number, answer: PromiseLike<string | undefined>): Promise<Authenticated> => {
  try {
    const tenant = await withTimeout(timeoutMs, answer);
    return tenant === timedOut ? unavailable() : readTenant(tenant);
  } catch (cause) {
    return unavailable(cause);
  }
};

/** Asks the authenticator. Returns the result without a promise if the authenticator does. */
export const authenticated = (
  timeoutMs: number,
  ask: () => ReturnType<Authenticate>,
): Authenticated | Promise<Authenticated> => {
  try {
    const answer = ask();
    return isPromise(answer) ? readLater(timeoutMs, answer) : readTenant(answer);
  } catch (cause) {
    return unavailable(cause);
  }
};

/** Maximum number of characters of a path in a log line. */
const MAX_PATH = 256;

export const deniedRequest = (request: AuthenticationRequest): DeniedRequest => {
  const [path = ''] = request.url.split('?', 1);
  const hasKey = Boolean(request.header('x-api-key') || request.header('authorization'));
  return {
    method: request.method,
    path: `${tidyPrefix(request.prefix)}${path}`.slice(0, MAX_PATH),
    reason: hasKey ? 'wrong' : 'missing',
  };
};
