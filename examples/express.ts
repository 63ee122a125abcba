// Colloquy in an Express app, next to its own routes. A sweeper reports the sessions that the clock
// has ended, and the process shuts down gracefully.
import { createSweeper, SessionService } from 'colloquy';
import { expressMiddleware } from 'colloquy/express';
import { createSessionHandler, staticApiKeys } from 'colloquy/http';
import { MemorySessionStore } from 'colloquy/memory';
import express from 'express';

const authenticate = staticApiKeys([{ key: process.env['API_KEY'] ?? '', tenant: 'acme' }]);

const sessions = new SessionService({
  store: new MemorySessionStore({ reportEnds: true }), // to the sweeper's onEnded
  idleTimeout: 15 * 60, // seconds that a session may wait to be started or resumed
  retention: 24 * 3600, // seconds that it can be read after its end: memory is not to fill up
  limits: { timeLimit: 3600 }, // a greater one is refused; a session without one gets this one
});

const sweeper = createSweeper(sessions, {
  onEnded: ({ tenant, id, endReason }) => console.log(`${tenant}: ${id} has ended: ${endReason}`),
  onError: (error) => console.error(error.message),
});
sweeper.start();

const handler = createSessionHandler({
  sessions,
  authenticate,
  onError: (error) => console.error(error), // what clients are not told of a 5xx
});

const app = express();
app.use(express.json({ limit: '256kb' })); // as much as the handler itself would take
app.get('/healthz', (_request, response) => {
  response.json({ ok: true });
});
app.use('/api', expressMiddleware(handler));

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', (error) => {
  if (error) throw error;
  const address = server.address();
  if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}/api/sessions`);
});

const stop = async () => {
  // Stops accepting connections, and closes those that are still open after three seconds.
  server.close(() => console.log('stopped'));
  setTimeout(() => server.closeAllConnections(), 3000).unref();
  await sweeper.stop();
};
process.once('SIGINT', stop).once('SIGTERM', stop);
