import { err, ok, type Result } from 'neverthrow';
import { type InvalidInput, invalidInput, storeUnavailable } from '../errors.js';
import { wireForm } from '../operations/session-form.js';
import type { TenantSessions } from '../operations/tenant-sessions.js';
import { answerByCalling } from './answer-of.js';
import { authenticated } from './authenticate.js';
import type { HandlerError } from './handler-error.js';
import { problem } from './problem.js';
import type { Answer, Call, HandlerContext, Route } from './route.js';
import { allowedMethods, isAllowed, type Match, routerOf } from './router-of.js';
import type { HandlerRequest, HandlerResponse, SessionHandler } from './session-handler.js';
import { type HandlerSettings, readHandlerOptions, type SessionHandlerOptions } from './session-handler-options.js';

/** Authenticates a request for a route. The tenant is empty on a public route. */
const tenantOf = <S>({ authenticate, context }: HandlerSettings<S>, route: Route<S>, request: HandlerRequest) => {
  const own = route.authenticate;
  if (own === 'everybody') return ok<string, HandlerError>('');
  return authenticated(context.timeoutMs, () =>
    own === undefined ? authenticate(request.header('x-api-key') ?? '', request) : own(request),
  );
};

/** Decodes a session id from a path. */
const decodeId = (encoded: string): Result<string, InvalidInput> => {
  try {
    return ok(decodeURIComponent(encoded));
  } catch {
    return err(invalidInput([{ path: 'session_id', message: 'must be percent-encoded UTF-8' }]));
  }
};

/** Checks the method, and decodes the id. */
const admit = <S>(
  { route: { operation }, encodedId = '', query }: Match<Pick<Route<S>, 'operation'>>,
  { method }: HandlerRequest,
): Result<Pick<Call<S>, 'operation' | 'id' | 'query'>, HandlerError> => {
  if (!isAllowed(operation, method)) return err({ type: 'method_not_allowed', allow: allowedMethods(operation) });
  return decodeId(encodedId).map((id) => ({ operation, id, query }));
};

const answerRoute = <S>({ operation, answer = (call) => answerByCalling(operation, call) }: Route<S>, call: Call<S>) =>
  answer(call);

/**
 * Answers a request that matches a route. Authentication comes first, so that a client without access learns nothing
 * and costs almost nothing.
 */
const answer = async <S extends TenantSessions>(
  settings: HandlerSettings<S>,
  handler: HandlerContext,
  matched: Match<Route<S>>,
  request: HandlerRequest,
): Answer => {
  const { route } = matched;
  const asked = tenantOf(settings, route, request);
  const tenant = asked instanceof Promise ? await asked : asked;
  if (tenant.isErr()) {
    if (tenant.error.type !== 'unauthenticated') return err(tenant.error);
    settings.onDenied(request);
    return route.unauthenticated === undefined ? err(tenant.error) : ok(route.unauthenticated);
  }
  const admitted = admit(matched, request);
  if (admitted.isErr()) return err(admitted.error);
  const { operation, id, query } = admitted.value;
  const sessions = settings.sessions.forTenant(tenant.value);
  return answerRoute(route, { request, tenant: tenant.value, sessions, operation, id, query, form: wireForm, handler });
};

const serveBelow =
  <H extends TenantSessions>({ routes, sessions }: HandlerSettings<H>): HandlerContext['serve'] =>
  async (operations, url, call) => {
    const matched = routerOf(operations.map((operation) => ({ operation })))(url);
    if (matched === undefined) return err({ type: 'route_not_found' });
    const admitted = admit(matched, call.request);
    if (admitted.isErr()) return err(admitted.error);
    const { operation } = matched.route;
    const below = { ...call, ...admitted.value };
    const own = routes.find((route) => route.operation.name === operation.name);
    return own === undefined
      ? answerByCalling(operation, below)
      : answerRoute(own, { ...below, sessions: sessions.forTenant(call.tenant) });
  };

/** The response to HEAD: that to GET without the body, but with its `Content-Length`. */
const withoutBody = ({ status, headers, body }: HandlerResponse): HandlerResponse => ({
  status,
  headers:
    body === undefined ? headers : { 'Content-Length': String(new TextEncoder().encode(body).length), ...headers },
});

/**
 * Creates the HTTP interface as a function of plain objects, for any framework. `colloquy/node`, `/express`, `/koa` and
 * `/fetch` mount it. It serves create, list and get, and the given groups of routes. Throws a `TypeError` that names
 * every invalid or unknown option. The handler never throws or rejects.
 */
export const createSessionHandler = <S extends TenantSessions>(options: SessionHandlerOptions<S>): SessionHandler => {
  const settings = readHandlerOptions(options);
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
      return request.method === 'HEAD' ? withoutBody(response) : response;
    } catch (cause) {
      return refuse(storeUnavailable('the request could not be answered', 'unknown', cause));
    }
  };
};
