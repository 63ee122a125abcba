import { RedisSessionStore, SessionService } from '../colloquy.js';
import type { Group } from '../harness/measure.js';
import { seedSessions } from '../seed.js';
import { listSizes } from './list-sizes.js';
import { checkSeeded, isPage, isPageOf, listing, lookingAt, pageText, scattered } from './pages.js';
import { type Context, expect, type Suite } from './suite.js';

/**
 * So many that "any page" was forgotten since it was last read, by the engine and by processor caches: several times
 * the text that the engine remembers, which takes more sessions where they are small.
 */
const sessionsWith = (entries: number, quick: boolean): number => {
  if (quick) return 5000;
  return entries === 0 ? 40_000 : 10_000;
};

/** A page beside a GET of one string that already holds it, parsed: what no layout can beat. */
async function* pages({ redis, quick }: Context): AsyncGenerator<Group> {
  const store = new RedisSessionStore({ client: redis });
  for (const entries of quick ? [10] : [10, 0, 50]) {
    const sessions = new SessionService({ store }).forTenant(`entries-${entries}`);
    const total = sessionsWith(entries, quick);
    await seedSessions(sessions, total, entries);
    await checkSeeded({ sessions, total, entries }, [1, 2, total / 10]);
    for (const limit of quick ? [10] : [10, 100]) {
      const list = listing(sessions, limit);
      const anywhere = listing(sessions, limit, scattered(total / limit));
      const text = pageText(await list());
      await redis.set('joined-page', text);
      const saw = (seen: unknown) => expect(seen === limit * entries, 'every entry was seen');
      for (const callers of [32, 1]) {
        yield {
          name: `redis list, page of ${limit}, ${entries} entries`,
          callers,
          limit: 'GET and JSON.parse',
          subjects: [
            {
              name: 'GET and JSON.parse',
              call: async () => JSON.parse((await redis.get('joined-page')) ?? ''),
              check: (answer) => expect(JSON.stringify(answer) === text, 'the same bytes'),
            },
            { name: 'list', call: list, check: isPage(text) },
            { name: 'list, histories looked at', call: lookingAt(list), check: saw },
            { name: 'list of any page', call: anywhere, check: isPageOf(limit, entries) },
            { name: 'list of any page, histories looked at', call: lookingAt(anywhere), check: saw },
          ],
        };
      }
    }
    await redis.flushdb();
  }
}

async function* sizes({ redis, quick }: Context): AsyncGenerator<Group> {
  const store = new RedisSessionStore({ client: redis });
  yield* listSizes('redis', (count) => new SessionService({ store }).forTenant(`size-${count}`), quick);
  await redis.flushdb();
}

export const redisPages: Suite = { name: 'redis-list', groups: pages };
export const redisSizes: Suite = { name: 'redis-sizes', groups: sizes };
