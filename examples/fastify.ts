// Colloquy in a Fastify app. The listener runs before Fastify's own, so Fastify does not parse the
// bodies. Commands are enabled: a client with an API key can start, append to, end and delete
// sessions.
import { createServer } from 'node:http';
import { SessionService } from 'colloquy';
import { commandRoutes, createSessionHandler, staticApiKeys } from 'colloquy/http';
import { MemorySessionStore } from 'colloquy/memory';
import { nodeListener } from 'colloquy/node';
import { fastify } from 'fastify';

const authenticate = staticApiKeys([{ key: process.env['API_KEY'] ?? '', tenant: 'acme' }]);

const handler = createSessionHandler({
  sessions: new SessionService({
    store: new MemorySessionStore(),
    // Limits everything that clients can make long.
    limits: {
      timeLimit: 3600,
      textBytes: 16_384,
      contentBytes: 16_384,
      entriesPerAppend: 20,
      historyEntries: 1000,
    },
  }),
  authenticate,
  routes: [commandRoutes()],
  maxBodyBytes: 65_536,
  onError: (error) => {
    app.log.error(error); // with the cause, which clients are not told
  },
});

const app = fastify({
  logger: { level: process.env['LOG_LEVEL'] ?? 'info' },
  serverFactory: (fallback) => createServer(nodeListener(handler, { prefix: '/api', fallback })),
});
app.get('/healthz', () => ({ ok: true }));

await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' });
console.log(`${app.listeningOrigin}/api/sessions`);

const stop = async () => {
  setTimeout(() => app.server.closeAllConnections(), 3000).unref(); // the longest that anybody is waited for
  await app.close();
  console.log('stopped');
};
process.once('SIGINT', stop).once('SIGTERM', stop);
