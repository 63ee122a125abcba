import { RedisSessionStore, SessionService } from '../colloquy.js';
import type { Group } from '../harness/measure.js';
import { seedSessions } from '../seed.js';
import { isPageOf, listing, lookingAt, pageText, scattered } from './pages.js';
import { type Context, expect, type Suite } from './suite.js';

/** As many sessions as a page that was read before is long forgotten in, by the engine and by processor caches. */
const SESSIONS = 10_000;
const QUICK_SESSIONS = 2000;

/** A page beside a GET of one string that already holds it, parsed: what no layout can beat. */
async function* pages({ redis, quick }: Context): AsyncGenerator<Group> {
  const store = new RedisSessionStore({ client: redis });
  const count = quick ? QUICK_SESSIONS : SESSIONS;
  for (const entries of quick ? [10] : [10, 0, 50]) {
    const sessions = new SessionService({ store }).forTenant(`entries-${entries}`);
    await seedSessions(sessions, count, entries);
    for (const limit of quick ? [10] : [10, 100]) {
      const list = listing(sessions, limit);
      const anywhere = listing(sessions, limit, scattered(count / limit));
      await redis.set('joined-page', pageText(await list()));
      for (const callers of [32, 1]) {
        yield {
          name: `redis list, page of ${limit}, ${entries} entries`,
          callers,
          limit: 'GET and JSON.parse',
          subjects: [
            {
              name: 'GET and JSON.parse',
              call: async () => JSON.parse((await redis.get('joined-page')) ?? ''),
              check: isPageOf(limit, entries),
            },
            { name: 'list', call: list, check: isPageOf(limit, entries) },
            {
              name: 'list, histories looked at',
              call: lookingAt(list),
              check: (seen) => expect(seen === limit * entries, 'every entry was seen'),
            },
            { name: 'list of any page', call: anywhere, check: isPageOf(limit, entries) },
            { name: 'list of any page, histories looked at', call: lookingAt(anywhere) },
          ],
        };
      }
    }
    await redis.flushdb();
  }
}

/** The same page from few and from many sessions, and a page far from the first. */
async function* sizes({ redis, quick }: Context): AsyncGenerator<Group> {
  const store = new RedisSessionStore({ client: redis });
  const counts = quick ? [1000, 5000] : [1000, 100_000, 1_000_000];
  const services = new Map<number, SessionService>();
  for (const count of counts) {
    const sessions = new SessionService({ store }).forTenant(`size-${count}`);
    await seedSessions(sessions, count, 10);
    services.set(count, sessions);
  }
  const last = counts.at(-1) ?? 0;
  const deep = quick ? 300 : 50_000;
  const most = services.get(last);
  yield {
    name: 'redis list by number of sessions',
    callers: 1,
    limit: '1000 sessions, page 1',
    subjects: [
      ...[...services].map(([count, sessions]) => ({
        name: `${count} sessions, page 1`,
        call: listing(sessions, 10),
        check: isPageOf(10, 10),
      })),
      ...(most === undefined
        ? []
        : [{ name: `${last} sessions, page ${deep}`, call: listing(most, 10, () => deep), check: isPageOf(10, 10) }]),
    ],
  };
  await redis.flushdb();
}

export const redisPages: Suite = { name: 'redis-list', groups: pages };
export const redisSizes: Suite = { name: 'redis-sizes', groups: sizes };
