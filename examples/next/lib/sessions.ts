// The one service of the app, for route handlers, server components and server actions alike.
import { SessionService } from 'colloquy';
import { MemorySessionStore } from 'colloquy/memory';

declare global {
  var colloquySessions: SessionService | undefined;
}

const make = (): SessionService =>
  new SessionService({
    // Where more than one process serves, as on most platforms, use the store of `colloquy/redis`.
    store: new MemorySessionStore(),
    tenant: 'acme', // for what the app does itself; requests come with a key that belongs to a tenant
    limits: { timeLimit: 3600 },
  });

// Next bundles each route by itself, and loads a module again when its file has changed: a constant
// of the module would be another store each time.
globalThis.colloquySessions ??= make();
export const sessions = globalThis.colloquySessions;
