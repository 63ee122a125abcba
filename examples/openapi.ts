// Prints the HTTP interface of your service as an OpenAPI document, with your limits and names, for
// client generators, gateways and documentation. `openApiRoute()` in the routes of
// `createSessionHandler` serves it at /openapi.json.
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
