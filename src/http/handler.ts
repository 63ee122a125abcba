import { err, type Result } from 'neverthrow';
import { storeUnavailable } from '../errors.js';
import { authenticatedByKey } from './authentication.js';
import { describer, isDescriptionUrl } from './description.js';
import type { HandlerError } from './errors.js';
import { isInspectorUrl } from './inspector.js';
import type { HandlerRequest, HandlerResponse, SessionHandler } from './message.js';
import { perform } from './operations.js';
import { readHandlerOptions, type SessionHandlerOptions } from './options.js';
import { problem } from './problem.js';
import { allowedMethods, isAllowed, matchRoute, type Route } from './routes.js';
import type { HandlerSettings } from './settings.js';

/** The key is looked at before all else, so that a stranger learns nothing and costs nothing. */
const answer = async (
  settings: HandlerSettings,
  route: Route,
  request: HandlerRequest,
  report: (error: HandlerError) => void,
): Promise<Result<HandlerResponse, HandlerError>> => {
  const tenant = await authenticatedByKey(settings, request);
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

/**
 * The HTTP interface of `interface.md` as a function of plain objects, for any framework: `colloquy/node`, `/express`,
 * `/koa` and `/fetch` mount it. With `commands: true` it also serves the state machine's commands, with `events: true` the
 * events of a session, with an `inspector` that, with `openapi` a document of all of it. Throws a `TypeError` that names
 * every option that is wrong or unknown. The handler itself never throws or rejects.
 */
export const createSessionHandler = (options: SessionHandlerOptions): SessionHandler => {
  const { settings, switches, inspector, openapi, report } = readHandlerOptions(options);
  const describe = openapi && describer(openapi, settings, switches);
  const answerElsewhere = (request: HandlerRequest) => {
    if (inspector !== undefined && isInspectorUrl(request.url)) {
      return inspector.serve({ settings, request, events: switches.events, report });
    }
    return isDescriptionUrl(request.url) ? describe?.(request) : undefined;
  };
  const refuse = (error: HandlerError): HandlerResponse => {
    report(error);
    return problem(error);
  };
  return async (request) => {
    try {
      const route = matchRoute(request.url, switches);
      const answered = route === undefined ? answerElsewhere(request) : answer(settings, route, request, report);
      if (answered === undefined) return undefined;
      const response = (await answered).match((given) => given, refuse);
      return request.method === 'HEAD' ? withoutBody(response) : response;
    } catch (cause) {
      return refuse(storeUnavailable('the request could not be answered', 'unknown', cause));
    }
  };
};
