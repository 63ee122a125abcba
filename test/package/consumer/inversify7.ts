// What a host writes that wires the modules with inversify 7.
import type { SessionService, SessionStore } from 'colloquy';
import type { SessionHandler } from 'colloquy/http';
import { coreModule, handlerModule, memoryModule, TYPES } from 'colloquy/inversify';
import { MemorySessionStore } from 'colloquy/memory';
import { Container } from 'inversify';

const container = new Container();
container.bind<SessionStore>(TYPES.SessionStore).toConstantValue(new MemorySessionStore());
container.loadSync(coreModule(), memoryModule(), handlerModule({ authenticate: () => 'acme' }));
export const sessions = container.get<SessionService>(TYPES.SessionService);
export const handler = container.get<SessionHandler>(TYPES.SessionHandler);
