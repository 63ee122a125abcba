import { err, ok } from 'neverthrow';
import { servedTerminate } from '../endpoints/command-endpoints.js';
import type { Operation } from '../endpoints/endpoint.js';
import { servedWatch } from '../endpoints/event-shapes.js';
import { servedInbox, servedWithdraw } from '../endpoints/message-endpoints.js';
import { servedGet, servedHistory, servedList } from '../endpoints/session-endpoints.js';
import type {
  TenantCommands,
  TenantHistories,
  TenantMessages,
  TenantSessions,
} from '../endpoints/tenant-sessions.js';
import { servedCancel } from '../endpoints/work-endpoints.js';
import { methodRefusal } from '../http/handler-error.js';
import type { Answer, HandlerRequest, RouteGroup } from '../http/index.js';
import { countSessions } from './count-sessions.js';
import { type InspectorOptions, parseInspectorOptions } from './inspector-options.js';
import { listStream } from './list-stream.js';
import { pageResponse } from './page-response.js';
import { crossSite, movedToPage, unauthenticated, withSecurityHeaders } from './responses.js';
import { summaryForm } from './summary-form.js';

type Inspected = TenantSessions & TenantCommands & TenantHistories & TenantMessages;

const reads = [servedList, countSessions, servedGet, servedHistory, servedInbox, servedWatch];
const writes = [servedWithdraw, servedCancel, servedTerminate];

const PATH = '/inspector';

const listEventsUrl = /^\/events(?:\?|$)/;

const inspector: Operation = {
  name: 'inspect',
  tag: 'Inspector',
  summary: 'A page that shows sessions, and its data',
  method: 'GET',
  path: `${PATH}/*`,
  errors: [],
  output: { status: 200, description: 'The page.' },
};

/**
 * Whether the request comes from the page, and not from another site in the user's name. Browsers
 * send the origin of a request in `Sec-Fetch-Site`. Over plain HTTP some send none, but no other
 * site can make them send our own header.
 */
const isFromPage = (request: HandlerRequest): boolean => {
  const site = request.header('sec-fetch-site') ?? 'same-origin';
  if (site !== 'same-origin' && site !== 'none') return false;
  return request.method !== 'POST' || request.header('x-colloquy-inspector') === '1';
};

/** The request for an operation: links begin with the inspector's path. */
const operationRequest = (request: HandlerRequest): HandlerRequest => ({
  method: request.method,
  url: request.url,
  prefix: `${request.prefix}${PATH}`,
  header: (name) => request.header(name),
  body: (maxBytes) => request.body(maxBytes),
  ...(request.onClose && { onClose: (listener) => request.onClose?.(listener) }),
});

/**
 * A page that shows the sessions of a tenant, for `createSessionHandler({ routes:
 * [inspectorRoutes({ ... })] })`, which serves it at `/inspector`. `authenticate` returns the
 * tenant of a request. The page uses the operations of the handler. Throws a `TypeError` that names
 * every invalid or unknown option.
 */
export const inspectorRoutes = (options: InspectorOptions): RouteGroup<Inspected> => {
  const { authenticate, challenge, write } = parseInspectorOptions(options);
  const operations = [...reads, ...(write ? writes : [])];
  const streamList = listStream();
  return [
    {
      operation: inspector,
      authenticate,
      unauthenticated: unauthenticated(challenge),
      answer: async (call) => {
        const { request, tenant, handler } = call;
        const url = request.url.slice(PATH.length);
        const events = handler.routes.some(({ operation }) => operation.name === servedWatch.name);
        if (/^\/?(?:\?|$)/.test(url)) {
          const refused = methodRefusal(request);
          if (refused !== undefined) return err(refused);
          if (url.startsWith('/')) return ok(movedToPage);
          return ok(pageResponse({ tenant, events, write }));
        }
        if (!isFromPage(request)) return ok(crossSite);
        const inner = { ...call, request: operationRequest(request), form: summaryForm };
        const answer = async (): Answer => {
          if (events && listEventsUrl.test(url)) return streamList(inner);
          const served = operations.filter((operation) => events || operation !== servedWatch);
          return handler.serve(served, url, inner);
        };
        return (await answer()).map(withSecurityHeaders);
      },
    },
  ];
};
