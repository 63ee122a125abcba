import type { Result } from 'neverthrow';
import type { InputPolicy } from '../input/input-policy.js';
import type { AnyOperation, Operation } from '../operations/operation.js';
import type { SessionForm } from '../operations/session-form.js';
import type { TenantSessions } from '../operations/tenant-sessions.js';
import type { AnswerBudget } from './answer-budget.js';
import type { Authenticate, AuthenticationRequest } from './authenticate.js';
import type { HandlerError } from './handler-error.js';
import type { HandlerRequest, HandlerResponse } from './session-handler.js';

/** What a route answers: a response, or the error that the handler answers with. */
export type Answer = Promise<Result<HandlerResponse, HandlerError>>;

/** What a handler has for all of its routes. */
export interface HandlerContext {
  /** Every route that it serves. */
  readonly routes: readonly Route<never>[];
  readonly policy: InputPolicy | undefined;
  readonly maxBodyBytes: number;
  readonly timeoutMs: number;
  readonly budget: AnswerBudget;
  /** Tells the host of an error that no answer can tell any more. */
  readonly report: (error: HandlerError) => void;
  /**
   * Answers a call with the one of these operations that a URL leads to, as the handler itself does: for a route that has
   * others below it.
   */
  readonly serve: <S>(operations: readonly Operation<S>[], url: string, call: Call<S>) => Answer;
}

/** A request that a route answers. Whoever sends it has been authenticated, and the method is the operation's. */
export interface Call<S = TenantSessions> {
  readonly request: HandlerRequest;
  /** Whose sessions these are; empty on a route for everybody. */
  readonly tenant: string;
  readonly sessions: S;
  readonly operation: AnyOperation;
  /** The session's id; empty where the path has none. */
  readonly id: string;
  /** As it came, undecoded, without the `?`. */
  readonly query: string;
  /** How sessions are written. */
  readonly form: SessionForm;
  readonly handler: HandlerContext;
}

/** An operation, and what answers it. */
export interface Route<S = TenantSessions> {
  /**
   * Its path is fixed, or has `{session_id}` as its second segment. One that ends in `/*` gets every method and every path
   * that begins with the same segment; it is not described.
   */
  readonly operation: Operation<S>;
  /** Default: calls the method of the service that the operation names, and writes its result. */
  readonly answer?: (call: Call<S>) => Answer;
  /** Gives the tenant in place of the handler's own `authenticate`; `everybody` needs no key. */
  readonly authenticate?: 'everybody' | ((request: AuthenticationRequest) => ReturnType<Authenticate>);
  /** The answer to a request that may reach no tenant. Default: the problem `unauthenticated`. */
  readonly unauthenticated?: HandlerResponse;
}

/** Routes that a handler serves together. `S` is what they need of a tenant's sessions. */
export type RouteGroup<S = TenantSessions> = readonly Route<S>[];
