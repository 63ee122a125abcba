// Colloquy in a host with an inversify container and its own store, see audited-store.ts. The
// classes do not depend on the container, and need no decorators.
import 'reflect-metadata';
import { createServer } from 'node:http';
import type { SessionStore } from 'colloquy';
import { commandRoutes, type SessionHandler, staticApiKeys } from 'colloquy/http';
import { coreModule, handlerModule, TYPES } from 'colloquy/inversify';
import { MemorySessionStore } from 'colloquy/memory';
import { nodeListener } from 'colloquy/node';
import { Container } from 'inversify';
import { AuditedSessionStore, type AuditLog } from './audited-store.js';

const authenticate = staticApiKeys([{ key: process.env['API_KEY'] ?? '', tenant: 'acme' }]);

const APP = { AuditLog: Symbol.for('app.AuditLog') };

const container = new Container();
container
  .bind<AuditLog>(APP.AuditLog)
  .toConstantValue((entry) => console.log(JSON.stringify(entry)));
// Bound before the modules are loaded: modules add missing bindings and replace none.
container
  .bind<SessionStore>(TYPES.SessionStore)
  .toResolvedValue(
    (log: AuditLog) => new AuditedSessionStore(new MemorySessionStore(), log),
    [APP.AuditLog],
  )
  .inSingletonScope();
container.load(
  coreModule({ idleTimeout: 900, limits: { timeLimit: 3600 } }),
  handlerModule({
    authenticate,
    routes: [commandRoutes()],
    onError: (error) => console.error(error),
  }),
);

const handler = container.get<SessionHandler>(TYPES.SessionHandler);
const server = createServer(nodeListener(handler, { prefix: '/api' }));
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}/api/sessions`);
});

const stop = () => {
  // Stops accepting connections, and closes those that are still open after three seconds.
  server.close(() => console.log('stopped'));
  setTimeout(() => server.closeAllConnections(), 3000).unref();
};
process.once('SIGINT', stop).once('SIGTERM', stop);
