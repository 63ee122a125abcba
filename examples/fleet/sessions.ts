// The sessions of both kinds of process, on the same Redis with the same settings.
import { SessionService } from 'colloquy';
import { RedisSessionStore } from 'colloquy/redis';
import { Redis } from 'ioredis';

export const openSessions = (): {
  readonly sessions: SessionService;
  close(): Promise<unknown>;
} => {
  const url = process.env['REDIS_URL'];
  if (url === undefined) {
    console.error('REDIS_URL must be set, for example redis://127.0.0.1:6379');
    process.exit(1);
  }
  const client = new Redis(url);
  // A separate connection that waits for events, so that a process receives them immediately and
  // not at the next poll.
  const listener = client.duplicate();
  for (const each of [client, listener])
    each.on('error', (error) => console.error(`Redis: ${error.message}`));
  const store = new RedisSessionStore({
    client,
    prefix: process.env['PREFIX'] ?? 'colloquy-example',
    events: { client: listener }, // so that one process hears of what another does
  });
  const sessions = new SessionService({
    store,
    tenant: 'acme',
    idleTimeout: 15 * 60,
    retention: 24 * 3600,
    limits: { timeLimit: 3600, historyEntries: 1000 },
  });
  const close = async () => {
    await sessions.drain();
    await Promise.all([client.quit(), listener.disconnect()]);
  };
  return { sessions, close };
};
