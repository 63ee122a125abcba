import { ok, type Result } from 'neverthrow';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import type { SessionStore } from '../store.js';
import type { Failure } from './failure.js';
import { connectRedis } from './redis.js';
import type { RedisPlace } from './redis-settings.js';

/** A store that is there, and what it takes to leave it. */
export interface OpenStore {
  readonly store: SessionStore;
  /** Where the sessions are kept, as a person calls it. */
  readonly place: string;
  close(): Promise<void>;
}

/** The store of a command: in Redis where the user says so, else in memory. */
export const openStore = async (
  redis: RedisPlace | undefined,
  { events = false }: { readonly events?: boolean } = {},
): Promise<Result<OpenStore, Failure>> => {
  if (redis === undefined)
    return ok({ store: new MemorySessionStore({ events }), place: 'memory', close: async () => undefined });
  const { url, prefix, partitions } = redis;
  return (await connectRedis(url)).map(({ client, name, close }) => ({
    store: new RedisSessionStore({ client, prefix, partitions, statusIndex: true, events }),
    place: `Redis at ${name}`,
    close,
  }));
};
