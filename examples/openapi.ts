// Prints the HTTP interface of a service of yours as an OpenAPI document, with your own limits and names in it: for
// generators of clients, for gateways, for a page of documents. `openApiRoute()` among the routes of
// `createSessionHandler` serves the same under /openapi.json.
import { SessionService } from 'colloquy';
import { commandRoutes } from 'colloquy/http';
import { MemorySessionStore } from 'colloquy/memory';
import { openApiDocument } from 'colloquy/openapi';

const sessions = new SessionService({
  store: new MemorySessionStore(),
  faces: ['ada', 'grace'],
  profiles: ['tutor'],
  limits: { timeLimit: 3600 },
});

const document = openApiDocument({
  sessions,
  routes: [commandRoutes()], // as the handler is made
  prefix: '/api',
  title: 'Tutoring sessions',
});
console.log(JSON.stringify(document, null, 2));
