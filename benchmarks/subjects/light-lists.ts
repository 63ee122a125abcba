import type { Redis } from 'ioredis';
import { serviceOf } from '../clock.js';
import { RedisSessionStore, type SessionService } from '../colloquy.js';
import type { Group, Subject } from '../harness/measure.js';
import { seedSessions } from '../seed.js';
import { joinedKey, joinPages } from './joined.js';
import { isPageOf, listing, lookAt, scattered } from './pages.js';
import type { Context, Suite } from './suite.js';

/** Histories, and how many sessions have one of each length. */
const LENGTHS = { total: 10_000, long: 10_000, longTotal: 100 } as const;
const QUICK_LENGTHS = { total: 200, long: 1000, longTotal: 20 } as const;

const JOINED = 'GET of the joined light page, JSON.parse';

const listed = (
  name: string,
  sessions: SessionService,
  total: number,
  historyLimit: number,
): Subject => {
  const list = listing(sessions, total, 10, historyLimit);
  return {
    name,
    call: async () => lookAt(await list()),
    check: async () => isPageOf(10, historyLimit)(await list()),
  };
};

const joined = (redis: Redis, pages: number): Subject => {
  const next = scattered(pages);
  return {
    name: JOINED,
    call: async () => lookAt(JSON.parse((await redis.get(joinedKey(next()))) ?? '')),
  };
};

/**
 * Any page of 10 without histories, or with the latest entries alone, from sessions with short and
 * with long histories.
 */
async function* light({ redis, quick }: Context): AsyncGenerator<Group> {
  const store = new RedisSessionStore({ client: redis });
  const { total, long, longTotal } = quick ? QUICK_LENGTHS : LENGTHS;
  const open = async (entries: number, count: number): Promise<SessionService> => {
    const sessions = serviceOf(store).forTenant(`entries-${entries}`);
    await seedSessions(sessions, count, entries);
    return sessions;
  };
  const [ten, twenty, many] = [
    await open(10, total),
    await open(20, total),
    await open(long, longTotal),
  ];
  await joinPages(redis, ten, { total, limit: 10, historyLimit: 0 });
  for (const callers of [32, 1]) {
    yield {
      name: 'redis list without histories, any page of 10',
      callers,
      limits: [JOINED, 'historyLimit 0, 10 entries'],
      subjects: [
        joined(redis, total / 10),
        listed('historyLimit 0, 10 entries', ten, total, 0),
        listed(`historyLimit 0, ${long} entries`, many, longTotal, 0),
      ],
    };
    yield {
      name: 'redis list with the latest 20 entries, any page of 10',
      callers,
      limits: ['historyLimit 20, 20 entries'],
      subjects: [
        listed('historyLimit 20, 20 entries', twenty, total, 20),
        listed(`historyLimit 20, ${long} entries`, many, longTotal, 20),
      ],
    };
  }
  await redis.flushdb();
}

export const lightLists: Suite = { name: 'light-lists', groups: light };
