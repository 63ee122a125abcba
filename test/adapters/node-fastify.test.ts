import { createServer } from 'node:http';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { type NodeListener, nodeListener } from '../../adapters/node/index.js';
import { createSessionHandler } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { send } from '../http/client.js';
import { describeMount } from '../http/describe-http.js';
import { handlerWith } from '../http/handler-harness.js';
import { expectInvalid } from '../http/problems.js';
import type { RunningServer } from '../http/world.js';

const listening = async (app: {
  listen(options: object): Promise<string>;
  close(): Promise<unknown>;
}) => {
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const running: RunningServer = { origin, close: async () => void (await app.close()) };
  return running;
};

/**
 * Passes a request to the listener before Fastify reads its body, also if Fastify cannot decode its
 * path.
 */
const handOver =
  (listener: NodeListener) => (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    listener(request.raw, reply.raw);
  };

describeMount({
  name: 'Fastify on the listener, by serverFactory',
  prefix: '',
  parsesBodies: false,
  ownsConnection: true,
  start: (handler) =>
    listening(
      fastify({
        forceCloseConnections: true,
        serverFactory: (app) => createServer(nodeListener(handler, { fallback: app })),
      }),
    ),
});

describeMount({
  name: 'Fastify, by a hook before its parsers',
  prefix: '/api',
  parsesBodies: false,
  ownsConnection: true,
  start: (handler) => {
    const listener = nodeListener(handler, { prefix: '/api' });
    const app = fastify({ forceCloseConnections: true, frameworkErrors: handOver(listener) });
    app.register(
      (scope, _options, done) => {
        scope.addHook('onRequest', (request, reply) =>
          handOver(listener)(undefined, request, reply),
        );
        scope.all('/*', () => undefined);
        done();
      },
      { prefix: '/api' },
    );
    return listening(app);
  },
});

describe("Fastify routes behind Fastify's own parsers", () => {
  const sessions = new SessionService({ store: new MemorySessionStore() });
  const listener = nodeListener(createSessionHandler({ sessions, authenticate: () => 'default' }));
  const app = fastify({ forceCloseConnections: true });
  app.all('/*', (request, reply) => {
    reply.hijack();
    listener(Object.assign(request.raw, { body: request.body }), reply.raw);
  });
  let server: RunningServer;
  beforeAll(async () => {
    server = await listening(app);
  });
  afterAll(() => server.close());

  const create = (body: string) => {
    const headers = { 'X-API-KEY': 'any', 'Content-Type': 'application/json' };
    return send(server.origin, '/create-session', { method: 'POST', headers, body });
  };

  test('accept the body that Fastify has parsed', async () => {
    const created = await create('{"face":"ada","profile":"tutor"}');
    expect(created.status).toBe(201);
    const found = await send(server.origin, String(created.headers['location']), {
      headers: { 'X-API-KEY': 'any' },
    });
    expect(found.json()).toMatchObject({ options: { face: 'ada', profile: 'tutor' } });
  });

  test('validate the parsed body like any other', async () => {
    expectInvalid(await create('{"face":5}'), 'face', 'profile');
    expectInvalid(await create('[]'), 'body');
  });
});

describe("Fastify's inject, without a server", () => {
  test('answers as over a connection, with and without a body, and closes each response', async () => {
    const { handler } = handlerWith({
      authenticate: (key) => (key === 'key' ? 'acme' : undefined),
    });
    let closed = 0;
    const listener = nodeListener((request) => {
      request.onClose?.(() => {
        closed += 1;
      });
      return handler(request);
    });
    const app = fastify();
    app.addHook('onRequest', (request, reply) => handOver(listener)(undefined, request, reply));
    app.all('/*', () => undefined);
    const headers = { 'x-api-key': 'key', 'content-type': 'application/json' };
    const payload = '{"face":"ada","profile":"tutor"}';
    const answers = await Promise.all([
      app.inject({ method: 'POST', url: '/create-session', headers, payload }),
      app.inject({ method: 'GET', url: '/sessions', headers }),
      app.inject({ method: 'GET', url: '/sessions' }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 200, 401]);
    while (closed < 3) await new Promise(setImmediate);
    await app.close();
  });
});
