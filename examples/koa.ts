// Colloquy in a Koa app, with API keys from your own source: a database, a file, another service.
import { createHash } from 'node:crypto';
import { SessionService } from 'colloquy';
import { type Authenticate, createSessionHandler } from 'colloquy/http';
import { koaMiddleware } from 'colloquy/koa';
import { MemorySessionStore } from 'colloquy/memory';
import Koa from 'koa';
import mount from 'koa-mount';

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/**
 * Replace this with your table. It contains digests, so nobody who reads it can use a key. A lookup
 * by digest also does not reveal a key through its duration.
 */
const tenantsByDigest = new Map(
  (process.env['API_KEYS'] ?? '')
    .split(',')
    .map((entry) => entry.split(':'))
    .flatMap(([tenant, key]): [string, string][] =>
      tenant && key ? [[digestOf(key), tenant]] : [],
    ),
);
if (tenantsByDigest.size === 0) {
  console.error('API_KEYS must be tenant:key,tenant:key,...');
  process.exit(1);
}

/** May be slow or throw: the response is then 503, and the request is not authenticated. */
const authenticate: Authenticate = async (key) => tenantsByDigest.get(digestOf(key));

const handler = createSessionHandler({
  sessions: new SessionService({ store: new MemorySessionStore(), limits: { timeLimit: 3600 } }),
  authenticate,
  timeoutMs: 5000, // for the look-up, and once more for the store
  onError: (error) => console.error(error),
});

const app = new Koa();
app.use(async ({ request, response }, next) => {
  const begun = performance.now();
  await next();
  console.log(
    `${request.method} ${request.path} ${response.status} ${(performance.now() - begun).toFixed(1)} ms`,
  );
});
app.use(mount('/api', koaMiddleware(handler)));
app.use((context) => {
  context.body = 'This is the rest of the app.\n';
});

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}/api/sessions`);
});

const stop = () => {
  // Stops accepting connections, and closes those that are still open after three seconds.
  server.close(() => console.log('stopped'));
  setTimeout(() => server.closeAllConnections(), 3000).unref();
};
process.once('SIGINT', stop).once('SIGTERM', stop);
