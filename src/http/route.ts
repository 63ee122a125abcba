import type { Result } from 'neverthrow';
import type { AnyOperation, Operation } from '../endpoints/endpoint.js';
import type { TenantSessions } from '../endpoints/tenant-sessions.js';
import type { SessionForm } from '../endpoints/wire-session.js';
import type { InputPolicy } from '../input/input-policy.js';
import type { HandlerError } from './handler-error.js';
import type { OpenStreams } from './open-streams.js';
import type {
  Authenticate,
  AuthenticationRequest,
  HandlerRequest,
  HandlerResponse,
} from './session-handler.js';
import type { TenantQuota } from './tenant-quota.js';

/** The answer of a route: a response, or an error that the handler turns into a response. */
export type Answer = Promise<Result<HandlerResponse, HandlerError>>;

/** The settings and functions of a handler that all its routes share. */
export interface HandlerContext {
  /** All routes of the handler. */
  readonly routes: readonly Route<never>[];
  /** The limits and allowed names of the service; undefined if `sessions` has no `policy`. */
  readonly policy: InputPolicy | undefined;
  /** Maximum bytes in a request body. */
  readonly maxBodyBytes: number;
  /** Timeout of the store in milliseconds. */
  readonly timeoutMs: number;
  /** Limits the bytes of responses that are in preparation or not yet received. */
  readonly pendingBytes: TenantQuota;
  /** The open event streams. */
  readonly streams: OpenStreams;
  /** Reports an error after the response has begun, when it can no longer contain the error. */
  readonly report: (error: HandlerError) => void;
  /**
   * Answers a call with the operation that matches the URL, as the handler itself does, for a route
   * with other routes below it.
   */
  readonly serve: <S>(operations: readonly Operation<S>[], url: string, call: Call<S>) => Answer;
}

/** An authenticated request for a route, with the method of the operation. */
export interface Call<S = TenantSessions> {
  /** The request. */
  readonly request: HandlerRequest;
  /** The tenant; empty on a public route. */
  readonly tenant: string;
  /** The sessions of the request's tenant. */
  readonly sessions: S;
  /** The definition of the operation. */
  readonly operation: AnyOperation;
  /** The session id; empty if the path has none. */
  readonly id: string;
  /** The query string as received, undecoded, without the `?`. */
  readonly query: string;
  /** How to write sessions. */
  readonly form: SessionForm;
  /** The settings of the handler that serves the route. */
  readonly handler: HandlerContext;
}

/**
 * An operation, and the function that answers it.
 *
 * @example
 * ```ts
 * const output = { status: 204 };
 * const ping: Route = {
 *   operation: { name: 'ping', tag: 'Health', method: 'GET', path: '/ping', errors: [], output },
 *   authenticate: 'everybody',
 *   answer: async () => ok({ status: 204, headers: {} }),
 * };
 * ```
 */
export interface Route<S = TenantSessions> {
  /**
   * Its path is fixed, or has `{session_id}` as its second segment. A path that ends in `/*`
   * receives every method and every path with the same first segment; it is not in the OpenAPI
   * document.
   */
  readonly operation: Operation<S>;
  /** Default: calls the service method that the operation names, and writes its result. */
  readonly answer?: (call: Call<S>) => Answer;
  /**
   * Returns the tenant, instead of the handler's `authenticate`. `everybody` makes the route
   * public.
   */
  readonly authenticate?:
    | 'everybody'
    | ((request: AuthenticationRequest) => ReturnType<Authenticate>);
  /** The response to a request without access. Default: the problem `unauthenticated`. */
  readonly unauthenticated?: HandlerResponse;
}

export type AnsweredRoute<S = TenantSessions> = Route<S> & Required<Pick<Route<S>, 'answer'>>;

/** Routes that a host adds together. `S` is the part of a tenant's sessions that they need. */
export type RouteGroup<S = TenantSessions> = readonly Route<S>[];
