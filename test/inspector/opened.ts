import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { nodeListener } from '../../adapters/node/index.js';
import {
  createSessionHandler,
  eventRoutes,
  type SessionHandler,
  staticApiKeys,
} from '../../src/http/index.js';
import { type Clock, SessionService } from '../../src/index.js';
import { apiKeyAsPassword, inspectorRoutes } from '../../src/inspector/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { listening } from '../http/serve.js';
import { PATIENT_MS } from '../support/patience.js';
import { ada, okOf } from '../support/sessions.js';

const key = 'key-of-acme';
const keys = staticApiKeys([{ key, tenant: 'acme' }]);

export interface InspectedOptions {
  readonly store?: SessionStore;
  readonly clock?: Clock;
  /** Default: true. */
  readonly events?: boolean;
  readonly write?: boolean;
}

/** The sessions of a tenant, and a handler that shows them to clients with its key. */
export const inspected = ({ store, clock, events = true, write = true }: InspectedOptions = {}) => {
  const all = new SessionService({
    store: store ?? new MemorySessionStore({ events }),
    ...(clock === undefined ? {} : { clock }),
    limits: { contentBytes: 2 ** 21, counters: ['calls', 'constructor'] },
  });
  const inspector = inspectorRoutes({ ...apiKeyAsPassword(keys), write });
  const routes = [inspector, ...(events ? [eventRoutes()] : [])];
  const handler = createSessionHandler({ sessions: all, authenticate: keys, routes });
  return { sessions: all.forTenant('acme'), handler };
};

/** What the browser did besides what the test asked for. */
interface Watched {
  /** Errors of scripts, and violations of the policy that the console reports. */
  readonly complaints: readonly string[];
  readonly requested: readonly string[];
}

const watch = (page: Page): Watched => {
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('request', (request) => requested.push(request.url()));
  return { complaints, requested };
};

export interface Opened extends Watched {
  readonly page: Page;
  readonly origin: string;
}

/** Serves a handler under `/api`, and opens its inspector with the key. */
export const opened = async (
  browser: Browser,
  handler: SessionHandler,
  context: BrowserContextOptions = {},
  path = '/api/inspector',
): Promise<Opened> => {
  const server = await listening(nodeListener(handler, { prefix: '/api' }));
  onTestFinished(() => server.close());
  const { origin } = server;
  const httpCredentials = { username: 'anybody', password: key };
  const opening = await browser.newContext({
    httpCredentials,
    viewport: { width: 1280, height: 800 },
    ...context,
  });
  onTestFinished(() => opening.close());
  opening.setDefaultTimeout(PATIENT_MS);
  const page = await opening.newPage();
  const watched = watch(page);
  await page.goto(`${origin}${path}`);
  return { page, origin, ...watched };
};

export const said = (content: string, role = 'user') => [{ role, content }];

/** Creates a number of sessions. */
export const createMany = async (sessions: SessionService, count: number): Promise<void> => {
  for (let made = 0; made < count; made += 1) await okOf(sessions.create(ada));
};

/** The links of the sessions that the list shows, in order. */
export const listed = (page: Page): Promise<readonly string[]> =>
  page.locator('#rows a').allTextContents();
