import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { Database, OpenStore, Use } from './database.js';
import type { Options } from './options.js';
import { postgres } from './postgres.js';
import { redis } from './redis.js';
import { sqlite } from './sqlite.js';

const databases: Readonly<Record<string, Database>> = { postgres, redis, sqlite };

export const databaseNames: readonly string[] = Object.keys(databases);

export const databaseHelp = Object.values(databases)
  .map(({ help }) => help)
  .join('');

export const openStore = async (options: Options, use: Use): Promise<OpenStore> => {
  const given = options.oneOf(databaseNames);
  const database = given && databases[given.name];
  if (given && database) return database.open(given, use, options);
  const store = new MemorySessionStore({ events: use.events ?? false });
  return {
    store,
    storeName: 'memory',
    isShared: false,
    close: () => undefined,
  };
};

export const tenantForm = [/^.{1,256}$/s, 'have 1 to 256 characters'] as const;
