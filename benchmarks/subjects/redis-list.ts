import type { Redis } from 'ioredis';
import { serviceOf } from '../clock.js';
import { RedisSessionStore } from '../colloquy.js';
import type { Group, Subject } from '../harness/measure.js';
import { seedSessions } from '../seed.js';
import { joinedKey, joinPages, keepByHand, listByHand } from './joined.js';
import { listSizes } from './list-sizes.js';
import { checkSeeded, isPageOf, listing, lookAt, scattered } from './pages.js';
import { type Context, expect, type Suite } from './suite.js';

const sessionsIn = (quick: boolean): number => (quick ? 200 : 10_000);

/** Any page as one string that holds it: what no layout can beat. */
const joined = (redis: Redis, pages: number, limit: number): Subject => {
  const next = scattered(pages);
  return {
    name: 'GET of the joined page, JSON.parse',
    call: async () => lookAt(JSON.parse((await redis.get(joinedKey(next()))) ?? '')),
    check: async () => {
      const page: unknown = JSON.parse((await redis.get(joinedKey(next()))) ?? '');
      expect(Array.isArray(page) && page.length === limit, 'a joined page');
    },
  };
};

const JOINED = 'GET of the joined page, JSON.parse';
const BY_HAND = 'ZREVRANGE, MGET and JSON.parse by hand';

/** Any page, with a read of every history. */
async function* pages({ redis, quick }: Context): AsyncGenerator<Group> {
  const store = new RedisSessionStore({ client: redis });
  const total = sessionsIn(quick);
  for (const entries of quick ? [10] : [10, 0, 50]) {
    const sessions = serviceOf(store).forTenant(`entries-${entries}`);
    await seedSessions(sessions, total, entries);
    await checkSeeded({ sessions, total, entries }, [1, 2, total / 10]);
    await keepByHand(redis, sessions);
    for (const limit of quick ? [10] : [10, 100]) {
      await joinPages(redis, sessions, { total, limit });
      const list = listing(sessions, total, limit);
      const page = scattered(total / limit);
      for (const callers of [32, 1]) {
        yield {
          name: `redis list, any page of ${limit}, ${entries} entries`,
          callers,
          limits: [JOINED, BY_HAND],
          subjects: [
            joined(redis, total / limit, limit),
            {
              name: BY_HAND,
              call: () => listByHand(redis, page(), limit),
              check: isPageOf(limit, entries),
            },
            {
              name: 'list',
              call: async () => lookAt(await list()),
              check: async () => isPageOf(limit, entries)(await list()),
            },
          ],
        };
      }
    }
    await redis.flushdb();
  }
}

async function* sizes({ redis, quick }: Context): AsyncGenerator<Group> {
  const store = new RedisSessionStore({ client: redis });
  yield* listSizes('redis', (count) => serviceOf(store).forTenant(`size-${count}`), quick);
  await redis.flushdb();
}

export const redisPages: Suite = { name: 'redis-list', groups: pages };
export const redisSizes: Suite = { name: 'redis-sizes', groups: sizes };
