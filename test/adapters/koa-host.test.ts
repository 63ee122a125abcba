import Koa from 'koa';
import mount from 'koa-mount';
import Koa2 from 'koa2';
import { describe, expect, test } from 'vitest';
import { koaMiddleware } from '../../adapters/koa/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { eventRoutes } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { type Outgoing, send } from '../http/client.js';
import { EventReader } from '../http/event-reader.js';
import { handlerWith } from '../http/handler-harness.js';
import { listening } from '../http/serve.js';
import { okOf } from '../support/sessions.js';

const headers = { 'X-API-KEY': 'key', 'Content-Type': 'application/json' };
const create = { method: 'POST', headers, body: '{"face":"ada","profile":"tutor"}' };

const sessions = () => koaMiddleware(handlerWith().handler);

const ask = async (app: Koa, path: string, outgoing: Outgoing = { headers }) => {
  const server = await listening(app.callback());
  try {
    return await send(server.origin, path, outgoing);
  } finally {
    await server.close();
  }
};

describe('a Koa host', () => {
  test('receives requests that match no operation, in the order of its middleware', async () => {
    const order: string[] = [];
    const app = new Koa().use(sessions()).use(async (context) => {
      order.push('host');
      context.body = 'mine';
    });
    expect([(await ask(app, '/own')).text, order]).toEqual(['mine', ['host']]);
    expect([(await ask(app, '/sessions')).text, order]).toEqual(['[]', ['host']]);
  });

  test('sees the response in its middleware, and may change it', async () => {
    const app = new Koa();
    app.use(async (context, next) => {
      await next();
      context.set('X-Seen', `${context.status} ${typeof context.body}`);
    });
    const reply = await ask(app.use(sessions()), '/sessions');
    expect([reply.status, reply.headers['x-seen'], reply.headers['content-type']]).toEqual([
      200,
      '200 string',
      'application/json',
    ]);
  });

  test('may nest mounts, and Location contains the complete path', async () => {
    const [inner, outer] = [new Koa(), new Koa()];
    inner.use(mount('/v1', sessions()));
    outer.use(mount('/api', inner));
    const reply = await ask(outer, '/api/v1/create-session?x=/sessions', create);
    expect(reply.headers['location']).toMatch(/^\/api\/v1\/session\/[\w-]+$/);
  });

  test('may rewrite the path', async () => {
    const app = new Koa();
    app.use((context, next) => {
      context.url = '/sessions?limit=3';
      return next();
    });
    expect((await ask(app.use(sessions()), '/elsewhere')).headers['link']).toContain(
      '</sessions?limit=3&page=1>',
    );
  });

  test.each([
    ['Koa 3', Koa],
    ['Koa 2', Koa2],
  ] as const)('emits no error when clients leave a stream: %s', async (_name, framework) => {
    const service = new SessionService({ store: new MemorySessionStore({ events: true }) });
    const { handler } = handlerWith({
      sessions: service,
      routes: [eventRoutes()],
      authenticate: () => 'default',
    });
    const { id } = await okOf(service.create({ face: 'ada', profile: 'tutor' }));
    const app = new framework();
    const errors: Error[] = [];
    app.on('error', (error: Error) => errors.push(error));
    let left = 0;
    app.use(async (context, next) => {
      context.set('X-Before', 'kept');
      context.res.on('close', () => {
        left += 1;
      });
      await next();
    });
    app.use(koaMiddleware(handler));
    const server = await listening(app.callback());
    for (let client = 0; client < 10; client += 1) {
      const reader = await EventReader.open(server.origin, `/session/${id}/events`, headers);
      expect([reader.status, reader.headers['x-before']]).toEqual([200, 'kept']);
      await reader.next();
      reader.close();
    }
    while (left < 10) await new Promise(setImmediate);
    expect(errors).toEqual([]);
    await server.close();
  });
});
