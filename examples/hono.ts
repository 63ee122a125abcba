// Colloquy in a Hono app, with the events of a session for a web page. The page has a cookie and no
// API key; the app adds the key on the server.
import { serve } from '@hono/node-server';
import { SessionService } from 'colloquy';
import { fetchHandler } from 'colloquy/fetch';
import { createSessionHandler, eventRoutes, staticApiKeys } from 'colloquy/http';
import { MemorySessionStore } from 'colloquy/memory';
import { Hono } from 'hono';

const key = process.env['API_KEY'] ?? '';
const authenticate = staticApiKeys([{ key, tenant: 'acme' }]);

const stopping = new AbortController();
const handler = createSessionHandler({
  sessions: new SessionService({
    store: new MemorySessionStore({ events: true }),
    limits: { timeLimit: 3600 },
  }),
  authenticate,
  routes: [eventRoutes({ heartbeatMs: 15_000 })],
  signal: stopping.signal,
  onError: (error) => console.error(error),
});
const respond = fetchHandler(handler, { prefix: '/api' });

/**
 * Replace this: whether the user of this cookie may see this session. Here the cookie contains the
 * session id.
 */
const maySee = (cookie: string | undefined, id: string): boolean => cookie === `session=${id}`;

const app = new Hono();
app.all('/api/*', (context) => respond(context.req.raw));

// In the page: new EventSource(`/live/${id}`)
app.get('/live/:id', (context) => {
  const { raw } = context.req;
  const id = context.req.param('id');
  if (!maySee(context.req.header('cookie'), id)) return context.notFound();
  const headers = new Headers(raw.headers); // with the Last-Event-ID of a page that comes back
  headers.set('X-API-KEY', key);
  const url = new URL(`/api/session/${encodeURIComponent(id)}/events`, raw.url);
  return respond(new Request(url, { headers, signal: raw.signal }));
});

const server = serve(
  { fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000), hostname: '127.0.0.1' },
  ({ port }) => console.log(`http://127.0.0.1:${port}/api/sessions`),
);

const stop = () => {
  stopping.abort(); // ends event streams, and the page reconnects
  server.close(() => console.log('stopped'));
  setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), 500).unref();
};
process.once('SIGINT', stop).once('SIGTERM', stop);
