import { err, type Result } from 'neverthrow';
import { storeUnavailable } from '../errors.js';
import { harmless } from '../harmless.js';
import { readSafely } from '../input/issues.js';
import { isFields } from '../input/values.js';
import { logFailure } from '../logger.js';
import { authenticated } from './authentication.js';
import { describer, isDescriptionUrl } from './description.js';
import { type HandlerError, type Misconfigured, misconfigured } from './errors.js';
import { type Inspector, isInspector, isInspectorUrl } from './inspector.js';
import type { HandlerRequest, HandlerResponse, SessionHandler } from './message.js';
import { perform } from './operations.js';
import { readHandlerOptions, type SessionHandlerOptions } from './options.js';
import { problem, statusOf } from './problem.js';
import { allowedMethods, isAllowed, matchRoute, type Route, type Switches } from './routes.js';
import type { HandlerSettings } from './settings.js';

/** The key is looked at before all else, so that a stranger learns nothing and costs nothing. */
const answer = async (
  options: Result<HandlerSettings, Misconfigured>,
  route: Route,
  request: HandlerRequest,
  report: (error: HandlerError) => void,
): Promise<Result<HandlerResponse, HandlerError>> => {
  if (options.isErr()) return err(options.error);
  const settings = options.value;
  const tenant = await authenticated(settings, request.header('x-api-key'));
  if (tenant.isErr()) return err(tenant.error);
  const { operation } = route;
  if (!isAllowed(operation, request.method))
    return err({ type: 'method_not_allowed', allow: allowedMethods[operation] });
  const sessions = settings.sessions.forTenant(tenant.value);
  return perform({ settings, tenant: tenant.value, sessions, request, route, report });
};

/** The answer to HEAD: that to GET without its body, whose length stays where it has one. */
const withoutBody = ({ status, headers, body }: HandlerResponse): HandlerResponse => ({
  status,
  headers:
    body === undefined ? headers : { 'Content-Length': String(new TextEncoder().encode(body).length), ...headers },
});

/** Read apart: a path that is not served is not ours to answer, even if other options break a rule. */
const switchesOf = (options: SessionHandlerOptions): Switches => ({
  commands: readSafely('commands', () => options.commands === true).unwrapOr(false),
  events: readSafely('events', () => options.events === true || isFields(options.events)).unwrapOr(false),
});

const inspectorOf = (options: SessionHandlerOptions): Inspector | undefined =>
  readSafely('inspector', () => (isInspector(options.inspector) ? options.inspector : undefined)).unwrapOr(undefined);

const describerOf = (options: SessionHandlerOptions) =>
  readSafely('openapi', () => (options.openapi === undefined ? undefined : describer(options.openapi))).unwrapOr(
    undefined,
  );

const reporterOf = (options: SessionHandlerOptions): ((error: HandlerError) => void) => {
  const onError = harmless(readSafely('onError', () => options.onError).unwrapOr(undefined));
  const logger = readSafely('logger', () => options.logger).unwrapOr(undefined);
  return (error) => {
    if (statusOf(error) < 500) return;
    if (logger !== undefined) logFailure(logger, error, { status: statusOf(error) });
    onError(error);
  };
};

/**
 * The HTTP interface of `interface.md` as a function of plain objects, for any framework: `colloquy/node`, `/express`,
 * `/koa` and `/fetch` mount it. Nothing throws: with options that break a rule every request of ours is answered with
 * 503, `misconfigured`, and `onError` is told which. With `commands: true` it serves the state machine's commands too,
 * with `events: true` the events of a session, with an `inspector` that, with `openapi` a
 * document of it all.
 */
export const createSessionHandler = (options: SessionHandlerOptions): SessionHandler => {
  const settings = readHandlerOptions(options).mapErr(({ issues }) => misconfigured(issues));
  const switches = switchesOf(options);
  const inspector = inspectorOf(options);
  const describe = describerOf(options);
  const report = reporterOf(options);
  const describeTo = (request: HandlerRequest) => {
    if (describe === undefined || !isDescriptionUrl(request.url)) return undefined;
    if (settings.isErr()) return err(settings.error);
    return describe({ settings: settings.value, switches, request });
  };
  const inspect = (request: HandlerRequest) => {
    if (inspector === undefined || !isInspectorUrl(request.url)) return undefined;
    if (settings.isErr()) return err(settings.error);
    return inspector.serve({ settings: settings.value, request, events: switches.events, report });
  };
  const refuse = (error: HandlerError): HandlerResponse => {
    report(error);
    return problem(error);
  };
  return async (request) => {
    try {
      const route = matchRoute(request.url, switches);
      const answered =
        route === undefined ? (inspect(request) ?? describeTo(request)) : answer(settings, route, request, report);
      if (answered === undefined) return undefined;
      const response = (await answered).match((given) => given, refuse);
      return request.method === 'HEAD' ? withoutBody(response) : response;
    } catch (cause) {
      return refuse(storeUnavailable('the request could not be answered', 'unknown', cause));
    }
  };
};
