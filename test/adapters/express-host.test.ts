import type { RequestListener } from 'node:http';
import express from 'express';
import { describe, expect, test } from 'vitest';
import { expressMiddleware } from '../../adapters/express/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { eventRoutes } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { type Outgoing, send } from '../http/client.js';
import { EventReader } from '../http/event-reader.js';
import { handlerWith } from '../http/handler-harness.js';
import { expectInvalid, expectProblem } from '../http/problems.js';
import { listening } from '../http/serve.js';
import { okOf } from '../support/sessions.js';

const headers = { 'X-API-KEY': 'key', 'Content-Type': 'application/json' };
const create = { method: 'POST', headers, body: '{"face":"ada","profile":"tutor"}' };

const sessions = () => expressMiddleware(handlerWith().handler);

const ask = async (app: RequestListener, path: string, outgoing: Outgoing = { headers }) => {
  const server = await listening(app);
  try {
    return await send(server.origin, path, outgoing);
  } finally {
    await server.close();
  }
};

describe('an Express host', () => {
  test('receives requests that match no operation, with the body unread', async () => {
    const app = express();
    app.use(sessions(), express.json());
    app.post('/own', (req, res) => {
      res.json(req.body);
    });
    const reply = await ask(app, '/own', { ...create, body: '{"mine":1}' });
    expect(reply.json()).toEqual({ mine: 1 });
  });

  test('mounts the handler in nested routers, and Location contains every prefix', async () => {
    const inner = express.Router().use('/v1', sessions());
    const outer = express.Router().use('/tenants/:name', inner);
    const reply = await ask(
      express().use('/api', outer),
      '/api/tenants/a%20b/v1/create-session',
      create,
    );
    expect(reply.headers['location']).toMatch(/^\/api\/tenants\/a%20b\/v1\/session\/[\w-]+$/);
  });

  test('keeps the headers that it set before', async () => {
    const app = express();
    app.use((_req, res, next) => {
      res.setHeader('Access-Control-Allow-Origin', '*');
      res.setHeader('Cache-Control', 'public');
      next();
    });
    const reply = await ask(app.use(sessions()), '/sessions');
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    });
  });

  test('may respond first, after its own time-out', async () => {
    const { handler } = handlerWith({
      authenticate: () => new Promise((resolve) => setTimeout(resolve, 20, 'acme')),
    });
    const app = express();
    app.use((_req, res, next) => {
      next();
      res.status(504).end('too late');
    });
    const reply = await ask(app.use(expressMiddleware(handler)), '/sessions');
    expect([reply.status, reply.text]).toEqual([504, 'too late']);
  });

  test('is reported as misconfigured if its parser consumed the body and kept nothing', async () => {
    const app = express();
    app.use((req, _res, next) => {
      req.on('data', () => undefined).on('end', next);
    });
    expectProblem(await ask(app.use(sessions()), '/create-session', create), 500, 'misconfigured');
  });

  test('may set an encoding on the body', async () => {
    const app = express();
    app.use((req, _res, next) => {
      req.setEncoding('utf8');
      next();
    });
    expect((await ask(app.use(sessions()), '/create-session', create)).status).toBe(201);
  });

  test('may set req.body to an object that no parser has read', async () => {
    const app = express();
    app.use((req, _res, next) => {
      req.body = {};
      next();
    });
    expect((await ask(app.use(sessions()), '/create-session', create)).status).toBe(201);
  });

  test('may parse JSON that is not an object, which is rejected as the body', async () => {
    const app = express().use(express.json({ strict: false }), sessions());
    for (const body of ['null', '5', '[]', 'true']) {
      expectInvalid(await ask(app, '/create-session', { ...create, body }), 'body');
    }
  });

  test('may authorise an event stream by its own cookie', async () => {
    const store = new MemorySessionStore({ events: true });
    const service = new SessionService({ store });
    const { handler } = handlerWith({
      sessions: service,
      authenticate: (key) => /^secret$/.exec(key)?.[0],
      routes: [eventRoutes()],
    });
    const { id } = await okOf(
      service.forTenant('secret').create({ face: 'ada', profile: 'tutor' }),
    );
    const serve = expressMiddleware(handler);
    const app = express().get('/live/:id', (req, res, next) => {
      if (req.headers.cookie === 'user=ada') req.headers['x-api-key'] = 'secret';
      req.url = `/session/${encodeURIComponent(req.params.id)}/events`;
      serve(req, res, next);
    });
    const server = await listening(app);
    expect(
      (await EventReader.open(server.origin, `/live/${id}`, { Cookie: 'user=eve' })).status,
    ).toBe(401);
    const reader = await EventReader.open(server.origin, `/live/${id}`, { Cookie: 'user=ada' });
    expect(await reader.next()).toMatchObject({ event: 'session.snapshot', data: { id } });
    reader.close();
    await server.close();
  });

  test("may parse text and bytes with a higher limit, and the handler's limit still applies", async () => {
    const type = () => true;
    const body = [`${create.body}${' '.repeat(256 * 1024)}`];
    for (const parser of [
      express.text({ type, limit: '1mb' }),
      express.raw({ type, limit: '1mb' }),
    ]) {
      const reply = await ask(express().use(parser, sessions()), '/create-session', {
        ...create,
        body,
      });
      expectProblem(reply, 413, 'body_too_large');
    }
  });
});
