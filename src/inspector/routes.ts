import { allowedMethods, matchRoute, type Route } from '../http/routes.js';
import type { HistoryRoute } from './history.js';
import type { PageFacts } from './page-response.js';

/** What a path of the inspector asks for, and with which methods, as the `Allow` header writes them. */
type InspectorRoute = { readonly allow: string } & (
  | { readonly to: 'page' }
  | { readonly to: 'moved' }
  | ({ readonly to: 'history' } & HistoryRoute)
  | { readonly to: 'operation'; readonly operation: Route }
);

const GET = allowedMethods.get;

const historyPath = /^\/session\/([^/?]+)\/history(?:\?(.*))?$/;

/** Of the handler's operations those that the page has a use for. */
const isOffered = (route: Route): boolean => {
  if (route.operation === 'move') return route.command === 'terminate';
  return route.operation === 'list' || route.operation === 'get' || route.operation === 'events';
};

/** What is asked for behind `/inspector`, by path and query. */
export const matchInspectorRoute = (
  url: string,
  { events, terminate }: Omit<PageFacts, 'tenant'>,
): InspectorRoute | undefined => {
  if (/^(?:\?|$)/.test(url)) return { to: 'page', allow: GET };
  if (/^\/(?:\?|$)/.test(url)) return { to: 'moved', allow: GET };
  const [, encodedId, query = ''] = historyPath.exec(url) ?? [];
  if (encodedId !== undefined) return { to: 'history', encodedId, query, allow: GET };
  const operation = matchRoute(url, { commands: terminate, events });
  if (operation === undefined || !isOffered(operation)) return undefined;
  return { to: 'operation', operation, allow: allowedMethods[operation.operation] };
};
