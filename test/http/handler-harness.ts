import { MemorySessionStore } from '../../adapters/memory/index.js';
import {
  createSessionHandler,
  type HandlerError,
  type HandlerRequest,
  type HandlerResponse,
  type SessionHandlerOptions,
} from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { ManualClock } from '../support/manual-clock.js';

const body = new TextEncoder().encode('{"face":"ada","profile":"tutor"}');

const headers = new Map([
  ['x-api-key', 'key'],
  ['content-type', 'application/json'],
]);

/** A valid request, except for what is given. */
export const request = (
  method: string,
  url: string,
  more: Partial<HandlerRequest> = {},
): HandlerRequest => ({
  method,
  url,
  prefix: '',
  header: (name) => headers.get(name),
  body: async () => ({ outcome: 'read', bytes: body }),
  ...more,
});

/** One valid request of each operation. */
export const operations = [
  ['create', request('POST', '/create-session')],
  ['list', request('GET', '/sessions')],
  ['get', request('GET', '/session/x')],
] as const;

/**
 * A handler over the memory store that accepts every key, unless the options say otherwise, and
 * what it has reported.
 */
export const handlerWith = (options: Partial<SessionHandlerOptions<SessionService>> = {}) => {
  const told: HandlerError[] = [];
  const handler = createSessionHandler({
    sessions: new SessionService({ store: new MemorySessionStore(), clock: new ManualClock() }),
    authenticate: () => 'acme',
    onError: (error) => told.push(error),
    ...options,
  });
  return { handler, told };
};

/** Status and code of an answer. */
export const seen = (response: HandlerResponse | undefined): readonly unknown[] => [
  response?.status,
  JSON.parse(response?.body ?? '{}').code,
];
