import { err, ok, type Result } from 'neverthrow';
import type { AnyOperation } from '../endpoints/endpoint.js';
import type { TenantSessions } from '../endpoints/tenant-sessions.js';
import { cutText } from '../session/cut-text.js';
import {
  type InvalidInput,
  invalidInput,
  misconfigured,
  storeUnavailable,
} from '../session/errors.js';
import { timedOut, withTimeout } from '../session/with-timeout.js';
import { answerFromService } from './answer-from-service.js';
import { type HandlerError, methodRefusal, refusal } from './handler-error.js';
import { problem } from './problem.js';
import type { Answer, AnsweredRoute, HandlerContext, Route } from './route.js';
import { isOpen, type Match, routerOf, tidyPrefix } from './router-of.js';
import type {
  DeniedRequest,
  HandlerRequest,
  HandlerResponse,
  SessionHandler,
} from './session-handler.js';
import {
  type HandlerSettings,
  parseHandlerOptions,
  type SessionHandlerOptions,
} from './session-handler-options.js';

const unavailable = (cause?: unknown) =>
  err<never, HandlerError>({ ...refusal('authenticator_unavailable'), cause });

/**
 * Asks the host for the tenant of a request; empty on a public route. A non-empty string is a
 * tenant, a falsy value denies access, and any other value is a misconfiguration.
 */
const tenantOf = async <S>(
  { authenticate, context }: HandlerSettings<S>,
  own: Route<S>['authenticate'],
  request: HandlerRequest,
): Promise<Result<string, HandlerError>> => {
  if (own === 'everybody') return ok('');
  try {
    const asked =
      own === undefined ? authenticate(request.header('x-api-key') ?? '', request) : own(request);
    const isPromise =
      typeof asked === 'object' && asked !== null && typeof asked.then === 'function';
    const answer: unknown = isPromise ? await withTimeout(context.timeoutMs, asked) : asked;
    if (answer === timedOut) return unavailable();
    if (!answer) return err(refusal('unauthenticated'));
    if (typeof answer === 'string') return ok(answer);
    return err(misconfigured('authenticate must return the name of a tenant, or undefined'));
  } catch (cause) {
    return unavailable(cause);
  }
};

const MAX_PATH = 256;

const deniedRequest = (request: HandlerRequest): DeniedRequest => {
  const [path = ''] = request.url.split('?', 1);
  const hasKey = Boolean(request.header('x-api-key') || request.header('authorization'));
  return {
    method: request.method,
    path: cutText(`${tidyPrefix(request.prefix)}${path}`, MAX_PATH),
    reason: hasKey ? 'wrong' : 'missing',
  };
};

const decodeId = (encoded: string): Result<string, InvalidInput> => {
  try {
    return ok(decodeURIComponent(encoded));
  } catch {
    return err(invalidInput([{ path: 'session_id', message: 'must be percent-encoded UTF-8' }]));
  }
};

/** A path with GET also supports HEAD. */
const admit = (
  { route: { operation }, encodedId }: Match<{ readonly operation: AnyOperation }>,
  request: HandlerRequest,
): Result<string, HandlerError> => {
  if (isOpen(operation)) return ok('');
  const known = operation.method === 'GET' ? undefined : ['POST'];
  const refused = methodRefusal(request, known);
  return refused ? err(refused) : decodeId(encodedId);
};

/**
 * Answers a request that matches a route. Authenticates first, so that a client without access
 * learns nothing and costs almost nothing.
 */
const answer = async <S extends TenantSessions>(
  settings: HandlerSettings<S>,
  handler: HandlerContext,
  matched: Match<AnsweredRoute<S>>,
  request: HandlerRequest,
): Answer => {
  const { route } = matched;
  const tenant = await tenantOf(settings, route.authenticate, request);
  if (tenant.isErr()) {
    if (tenant.error.type !== 'unauthenticated') return err(tenant.error);
    settings.onDenied(deniedRequest(request));
    if (route.unauthenticated !== undefined) return ok(route.unauthenticated);
    return err(tenant.error);
  }
  const id = admit(matched, request);
  if (id.isErr()) return err(id.error);
  return route.answer({
    request,
    tenant: tenant.value,
    sessions: settings.sessions.forTenant(tenant.value),
    operation: route.operation,
    id: id.value,
    query: matched.query,
    form: settings.form,
    handler,
  });
};

const serveBelow =
  <H extends TenantSessions>({ routes, sessions }: HandlerSettings<H>): HandlerContext['serve'] =>
  async (operations, url, call) => {
    const matched = routerOf(operations.map((operation) => ({ operation })))(url);
    if (matched === undefined) return err(refusal('route_not_found'));
    const { query, route } = matched;
    const { operation } = route;
    const id = admit(matched, call.request);
    if (id.isErr()) return err(id.error);
    const below = { ...call, operation, id: id.value, query };
    const own = routes.find((each) => each.operation.name === operation.name);
    if (own === undefined) return answerFromService(operation)(below);
    return own.answer({ ...below, sessions: sessions.forTenant(call.tenant) });
  };

/** The response to HEAD has the `Content-Length` of the response to GET. */
const withoutBody = ({ status, headers, body }: HandlerResponse): HandlerResponse => {
  if (body === undefined) return { status, headers };
  const length = String(new TextEncoder().encode(body).length);
  return { status, headers: { 'Content-Length': length, ...headers } };
};

/**
 * Creates the HTTP interface as a function of plain objects, for any framework. `colloquy/node`,
 * `/express`, `/koa` and `/fetch` mount it. It serves create, list and get, and the given groups of
 * routes. Throws a `TypeError` that names every invalid or unknown option. The handler never throws
 * or rejects.
 *
 * @example
 * ```ts
 * const handler = createSessionHandler({
 *   sessions,
 *   authenticate: staticApiKeys([{ key: 'key-1', tenant: 'acme' }]),
 * });
 * const serve = fetchHandler(handler); // of colloquy/fetch, for Hono, Deno and Bun
 * const headers = { 'X-API-KEY': 'key-1' };
 * const { status } = await serve(new Request(`https://api.example/session/${id}`, { headers }));
 * console.log(status); // 200
 * ```
 */
export const createSessionHandler = <S extends TenantSessions>(
  options: SessionHandlerOptions<S>,
): SessionHandler => {
  const settings = parseHandlerOptions(options);
  const match = routerOf(settings.routes);
  const context: HandlerContext = { ...settings.context, serve: serveBelow(settings) };
  const refuse = (error: HandlerError): HandlerResponse => {
    context.report(error);
    return problem(error);
  };
  return async (request) => {
    try {
      const matched = match(request.url);
      if (matched === undefined) return undefined;
      const answered = await answer(settings, context, matched, request);
      const response = answered.isOk() ? answered.value : refuse(answered.error);
      if (request.method === 'HEAD') return withoutBody(response);
      return response;
    } catch (cause) {
      return refuse(storeUnavailable('the request could not be answered', 'unknown', cause));
    }
  };
};
