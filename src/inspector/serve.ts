import { err, ok, type Result } from 'neverthrow';
import { authenticated } from '../http/authentication.js';
import type { Answer, Call } from '../http/call.js';
import type { HandlerError } from '../http/errors.js';
import { eventsFromTheBeginning } from '../http/events.js';
import { INSPECTOR_PATH, type InspectorCall } from '../http/inspector.js';
import type { HandlerRequest, HandlerResponse } from '../http/message.js';
import { perform } from '../http/operations.js';
import { tidyPrefix } from '../http/prefix.js';
import { history } from './history.js';
import type { InspectorSettings } from './options.js';
import { pageResponse } from './page-response.js';
import { crossSite, guarded, movedToPage, unauthenticated } from './responses.js';
import { matchInspectorRoute } from './routes.js';
import { summaryForm } from './summary-form.js';

/**
 * Whether the page may have asked for this, and no other site in its user's name. Browsers tell where a request comes
 * from in `Sec-Fetch-Site`. Those that do not, over plain HTTP, let no other site send a header of our own.
 */
const isOurs = (request: HandlerRequest): boolean => {
  const site = request.header('sec-fetch-site') ?? 'same-origin';
  if (site !== 'same-origin' && site !== 'none') return false;
  return request.method !== 'POST' || request.header('x-colloquy-inspector') === '1';
};

/** The request as the handler's own operations are to see it: links lead to the inspector's routes. */
const below = (request: HandlerRequest, url: string): HandlerRequest => ({
  method: request.method,
  url,
  prefix: `${tidyPrefix(request.prefix)}${INSPECTOR_PATH}`,
  header: (name) => request.header(name),
  body: (maxBytes) => request.body(maxBytes),
  ...(request.onClose === undefined ? {} : { onClose: (listener: () => void) => request.onClose?.(listener) }),
});

/** Everything is answered for the tenant that the inspector's own authenticator names, and only after it has. */
export const serve = async (
  { authenticate, challenge, terminate }: InspectorSettings,
  { settings, request, events, report }: InspectorCall,
): Answer => {
  const named = await authenticated(settings, request, authenticate);
  if (named.isErr()) return named.error.type === 'unauthenticated' ? ok(unauthenticated(challenge)) : err(named.error);
  const tenant = named.value;
  const url = request.url.slice(INSPECTOR_PATH.length);
  const route = matchInspectorRoute(url, { events, terminate });
  if (route === undefined) return err({ type: 'route_not_found' });
  const { allow } = route;
  if (!allow.split(', ').includes(request.method)) return err({ type: 'method_not_allowed', allow });
  if (route.to === 'page') return ok(pageResponse({ tenant, events, terminate }));
  if (route.to === 'moved') return ok(movedToPage);
  if (!isOurs(request)) return ok(crossSite);
  const call: Omit<Call, 'route'> = {
    settings: { ...settings, form: summaryForm },
    tenant,
    sessions: settings.sessions.forTenant(tenant),
    request: below(request, url),
    report,
  };
  const answered = (): Promise<Result<HandlerResponse, HandlerError>> => {
    if (route.to === 'history') return history(call, route);
    const { operation } = route;
    return operation.operation === 'events'
      ? eventsFromTheBeginning({ ...call, route: operation })
      : perform({ ...call, route: operation });
  };
  return (await answered()).map(guarded);
};
