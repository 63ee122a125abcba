import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { cloneRawRequest } from 'hono/request';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { describeAdapter, describeMount } from '../http/describe-http.js';
import { listening } from '../http/serve.js';

describeMount({
  name: 'a function from Request to Response',
  prefix: '',
  parsesBodies: false,
  ownsConnection: false,
  start: (handler) => listening(getRequestListener(fetchHandler(handler))),
});

describeAdapter({
  name: 'Hono',
  prefix: '/api/v1',
  parsesBodies: false,
  ownsConnection: false,
  start: (handler) => {
    const serve = fetchHandler(handler, { prefix: '/api/v1' });
    const app = new Hono();
    app.all('/api/v1/*', (context) => serve(context.req.raw));
    return listening(getRequestListener(app.fetch));
  },
});

describeMount({
  name: 'Hono with a middleware before it that reads the body',
  prefix: '',
  parsesBodies: true,
  ownsConnection: false,
  start: (handler) => {
    const serve = fetchHandler(handler);
    const app = new Hono();
    app.onError((_error, context) => context.body(null, 400));
    app.use(async (context, next) => {
      await context.req.text();
      await next();
    });
    app.all('/*', async (context) => serve(await cloneRawRequest(context.req)));
    return listening(getRequestListener(app.fetch));
  },
});
