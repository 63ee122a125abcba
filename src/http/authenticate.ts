import type { HandlerRequest } from './message.js';

/** What an authenticator sees of a request: all but the body. `header('cookie')` has its cookies. */
export type AuthenticationRequest = Pick<HandlerRequest, 'method' | 'url' | 'prefix' | 'header'>;

/**
 * Gives the tenant whose sessions a request may reach, or nothing where it may reach none. `key` is the value of
 * `X-API-KEY`; it is empty where the request has none, and never `undefined`, which some database libraries take for
 * "no condition". A host that uses a cookie or a bearer token reads it from `request`.
 */
export type Authenticate = (
  key: string,
  request: AuthenticationRequest,
) => string | undefined | PromiseLike<string | undefined>;

/** A request that was answered with 401. It holds neither a key nor a query. */
export interface DeniedRequest {
  readonly method: string;
  /** With the mount's prefix and without the query; at most 256 characters. */
  readonly path: string;
  /** `missing`: it had neither `X-API-KEY` nor `Authorization`. `wrong`: it had one, which opens nothing. */
  readonly reason: 'missing' | 'wrong';
}
