import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { Database, OpenStore, Use } from './database.js';
import type { Options } from './options.js';
import { postgres } from './postgres.js';
import { redis } from './redis.js';
import { sqlite } from './sqlite.js';

/** The databases by the name of the option that chooses one. */
const databases: Readonly<Record<string, Database>> = { postgres, redis, sqlite };

export const databaseNames: readonly string[] = Object.keys(databases);

/** The help text for the options of `openStore`. */
export const databaseHelp = Object.values(databases)
  .map(({ help }) => help)
  .join('');

/** Opens the store in the database that the options name, or in memory. */
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
