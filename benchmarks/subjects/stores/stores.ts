import type { Group } from '../../harness/measure.js';
import type { Context, Suite } from '../suite.js';
import type { ComparedStore } from './compared-store.js';
import { overHttp } from './http.js';
import { lists } from './lists.js';
import { memory } from './memory.js';
import { postgres } from './postgres.js';
import { redis } from './redis.js';
import { sqlite } from './sqlite.js';
import { writes } from './writes.js';

/**
 * The stores that are compared, each beside what somebody would write by hand on the same database.
 */
export const comparedStores: readonly ComparedStore[] = [memory, redis, sqlite, postgres];

const groupsOf = ({ name, open }: ComparedStore) =>
  async function* (context: Context): AsyncGenerator<Group> {
    for (const part of [writes, lists]) {
      const database = await open({ sync: part === writes ? 'always' : 'never' });
      try {
        yield* part(`stores, ${name}:`, database, context);
      } finally {
        await database.close();
      }
    }
  };

export const storeSuites: readonly Suite[] = comparedStores.map((store) => ({
  name: `stores-${store.name.toLowerCase()}`,
  groups: groupsOf(store),
  results: (context) => overHttp(store, context),
}));
