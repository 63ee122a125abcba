import { Redis } from 'ioredis';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { type Database, type OpenStore, openDatabase } from '../faults/databases/database.js';

/** Location of a store, so that other processes can open it. */
export type Shared = Database | { readonly kind: 'redis'; readonly port: number };

/** A store as a host opens it, with events that are never trimmed. */
export const openShared = (shared: Shared): OpenStore => {
  if (shared.kind !== 'redis') return openDatabase(shared);
  const client = new Redis(shared.port);
  client.on('error', () => undefined);
  const store = new RedisSessionStore({ client, timeoutMs: 5000, events: { length: 10_000_000 } });
  return { store, close: () => client.disconnect() };
};
