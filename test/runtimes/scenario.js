// What is tried on every runtime, with the packed package and nothing but web standards: the engine in memory, the handler
// behind `colloquy/fetch`, API keys, a stream of events, and the client.
import { SessionService } from 'colloquy';
import { SessionClient } from 'colloquy/client';
import { fetchHandler } from 'colloquy/fetch';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  historyRoutes,
  staticApiKeys,
} from 'colloquy/http';
import { MemorySessionStore } from 'colloquy/memory';

const KEY = 'a-key-of-acme';
// The SHA-256 of `another-key`.
const DIGEST = 'dfc42b5169264b0614a973f3460a90a255e72d3bf083ced693776b21a3821690';

export const expectEqual = (actual, expected, what) => {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) throw new Error(`${what}: ${is} instead of ${should}`);
};

export const okOf = async (operation) => {
  const result = await operation;
  if (result.isErr()) throw new Error(`${result.error.type}: ${result.error.message}`);
  return result.value;
};

/** A conversation with a service on any store. */
export const converse = async (sessions) => {
  const { id } = await okOf(
    sessions.create({ face: 'ada', profile: 'tutor', timeLimit: 60, idempotencyKey: 'one' }),
  );
  await okOf(sessions.start(id));
  await okOf(sessions.append(id, [{ role: 'user', content: 'Grüße' }], { operationId: 'turn-1' }));
  await okOf(sessions.append(id, [{ role: 'user', content: 'Grüße' }], { operationId: 'turn-1' }));
  const again = await okOf(
    sessions.create({ face: 'ada', profile: 'tutor', timeLimit: 60, idempotencyKey: 'one' }),
  );
  expectEqual(again.id, id, 'a repeated create');
  await okOf(sessions.terminate(id));
  const session = await okOf(sessions.get(id));
  expectEqual([session.status, session.history.length], ['TERMINATED', 1], 'the session');
};

/** A handler in memory, as a function from Request to Response. */
export const handlerInMemory = () => {
  const sessions = new SessionService({ store: new MemorySessionStore({ events: true }) });
  const authenticate = staticApiKeys([
    { key: KEY, tenant: 'acme' },
    { sha256: DIGEST, tenant: 'other' },
  ]);
  const routes = [commandRoutes(), historyRoutes(), eventRoutes()];
  return createSessionHandler({ sessions, authenticate, routes });
};

/** Requests and the client against an origin that serves `handlerInMemory()`, through any `fetch`. */
export const talk = async (origin, fetch) => {
  const status = async (headers) => (await fetch(`${origin}/sessions`, { headers })).status;
  expectEqual(await status({}), 401, 'no key');
  expectEqual(await status({ 'X-API-KEY': 'wrong' }), 401, 'a wrong key');
  expectEqual(await status({ 'X-API-KEY': 'another-key' }), 200, 'a key that is given as a digest');
  const client = new SessionClient({ baseUrl: origin, apiKey: KEY, fetch });
  const { id } = await okOf(client.create({ face: 'ada', profile: 'tutor' }));
  const types = [];
  for await (const item of client.watch(id)) {
    types.push((await okOf(Promise.resolve(item))).type);
    if (types.length === 1) await okOf(client.start(id));
    if (types.length === 2) await okOf(client.terminate(id));
  }
  expectEqual(types, ['session.snapshot', 'session.changed', 'session.changed'], 'the items');
  const { sessions } = await okOf(client.list({ limit: 5 }));
  expectEqual(
    sessions.map((session) => session.id),
    [id],
    'the list',
  );
};

/** All of it without a server. */
export const scenario = async () => {
  await converse(new SessionService({ store: new MemorySessionStore() }));
  const handle = fetchHandler(handlerInMemory());
  await talk('http://localhost', (url, init) => handle(new Request(url, init)));
};
