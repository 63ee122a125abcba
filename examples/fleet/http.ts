// Serves the sessions over HTTP. The process has no state of its own: any number of them can run,
// start and stop.
import { createServer } from 'node:http';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  messageRoutes,
  staticApiKeys,
} from 'colloquy/http';
import { nodeListener } from 'colloquy/node';
import { openSessions } from './sessions.js';

const authenticate = staticApiKeys([{ key: process.env['API_KEY'] ?? '', tenant: 'acme' }]);

const { sessions, close } = openSessions();
const stopping = new AbortController();
const handler = createSessionHandler({
  sessions,
  authenticate,
  routes: [
    messageRoutes(), // clients send messages, and wait for the answers
    commandRoutes(), // hang up by a terminate
    eventRoutes(), // or hear of them by events
  ],
  signal: stopping.signal,
  onError: (error) => console.error(error),
});

const server = createServer(nodeListener(handler, { prefix: '/api' }));
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}/api`);
});

const stop = () => {
  server.close(async () => {
    await close();
    console.log('stopped');
  });
  stopping.abort(); // ends event streams; their clients reconnect, to this or another process
  setTimeout(() => server.closeAllConnections(), 500).unref();
};
process.once('SIGINT', stop).once('SIGTERM', stop);
