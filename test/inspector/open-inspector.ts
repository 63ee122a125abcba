import { MemorySessionStore } from '../../adapters/memory/index.js';
import {
  createSessionHandler,
  eventRoutes,
  type HandlerError,
  type HandlerRequest,
} from '../../src/http/index.js';
import { type Clock, SessionService, type SessionStore } from '../../src/index.js';
import { type InspectorOptions, inspectorRoutes } from '../../src/inspector/index.js';
import { request } from '../http/handler-harness.js';

const encoder = new TextEncoder();

export interface InspectedHost {
  /** Whether the handler has `eventRoutes()`. Default: true. */
  readonly events?: boolean;
  readonly store?: SessionStore;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Changes the sessions that the handler serves. */
  readonly change?: (sessions: SessionService) => void;
}

/** A handler with an inspector for the tenant `acme`, asked as a mount under `/api` does. */
export const openInspector = (
  options: Partial<InspectorOptions> = {},
  {
    events = true,
    store = new MemorySessionStore({ events: true }),
    clock,
    change = () => {},
  }: InspectedHost = {},
) => {
  const told: HandlerError[] = [];
  const all = new SessionService({ store, ...(clock && { clock }) });
  const forTenant = (tenant: string) => {
    const sessions = all.forTenant(tenant);
    change(sessions);
    return sessions;
  };
  const authenticate: InspectorOptions['authenticate'] = ({ header }) =>
    header('cookie') === 'user=ada' ? 'acme' : undefined;
  const handler = createSessionHandler({
    sessions: { forTenant },
    authenticate: () => 'nobody',
    routes: [...(events ? [eventRoutes()] : []), inspectorRoutes({ authenticate, ...options })],
    onError: (error) => told.push(error),
  });
  const ask = async (
    method: string,
    url: string,
    headers: Readonly<Record<string, string>> = {},
    text = '',
  ) => {
    const given: Readonly<Record<string, string>> = { cookie: 'user=ada', ...headers };
    const body = async () => ({ outcome: 'read', bytes: encoder.encode(text) }) as const;
    const more: Partial<HandlerRequest> = { prefix: '/api', header: (name) => given[name], body };
    const response = await handler(request(method, url, more));
    if (response === undefined) throw new Error(`${url} was left to somebody else`);
    return response;
  };
  return { ask, handler, told, sessions: all.forTenant('acme'), others: all.forTenant('other') };
};

export const codeOf = ({ body = '{}' }: { readonly body?: string }) => JSON.parse(body).code;

/** The header that the page sends, and no other site can make a browser send. */
export const fromPage = { 'x-colloquy-inspector': '1', 'sec-fetch-site': 'same-origin' };

export const asJson = { ...fromPage, 'content-type': 'application/json' };
