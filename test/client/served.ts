import { onTestFinished } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { nodeListener } from '../../adapters/node/index.js';
import { SessionClient, type SessionClientOptions } from '../../src/client/index.js';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  historyRoutes,
  messageRoutes,
} from '../../src/http/index.js';
import { SessionService, type SessionServiceOptions } from '../../src/index.js';
import { listening } from '../http/serve.js';
import { ManualClock } from '../support/manual-clock.js';

export const KEY = 'key-of-acme';

/**
 * An engine behind `/api` on a port of its own, with its service at hand; both are gone with the
 * test.
 */
export const serve = async ({
  work,
  usage,
  ...options
}: Partial<SessionServiceOptions> & {
  readonly work?: boolean;
  readonly usage?: boolean;
} = {}) => {
  const clock = new ManualClock();
  const store = options.store ?? new MemorySessionStore({ events: true });
  const service = new SessionService({ clock, ...options, store });
  const handler = createSessionHandler({
    sessions: service,
    work,
    usage,
    authenticate: (key) => (key === KEY ? 'acme' : undefined),
    routes: [commandRoutes(), historyRoutes(), messageRoutes(), eventRoutes({ heartbeatMs: 1000 })],
  });
  const server = await listening(nodeListener(handler, { prefix: '/api' }));
  onTestFinished(() => server.close());
  const baseUrl = `${server.origin}/api`;
  const clientOf = (more: Partial<SessionClientOptions> = {}) =>
    new SessionClient({ baseUrl, apiKey: KEY, ...more });
  return {
    baseUrl,
    clock,
    clientOf,
    client: clientOf(),
    handler,
    server,
    sessions: service.forTenant('acme'),
  };
};
