import { MemorySessionStore, SessionService } from '../colloquy.js';
import type { Group } from '../harness/measure.js';
import { seedSessions } from '../seed.js';
import { listSizes } from './list-sizes.js';
import { checkSeeded, isPageOf, listing, lookingAt, scattered } from './pages.js';
import { type Context, expect, must, type Suite } from './suite.js';

const SESSIONS = 10_000;

/** A page beside an awaited slice of an array: the least that anything asynchronous can do. */
async function* pages({ quick }: Context): AsyncGenerator<Group> {
  for (const entries of quick ? [10] : [10, 0, 50]) {
    const sessions = new SessionService({ store: new MemorySessionStore() });
    await seedSessions(sessions, SESSIONS, entries);
    await checkSeeded({ sessions, total: SESSIONS, entries }, [1, 2, SESSIONS / 10]);
    const all = Array.from({ length: SESSIONS }, (_, at) => ({ at }));
    for (const limit of quick ? [10] : [10, 100]) {
      const any = scattered(SESSIONS / limit);
      const saw = (seen: unknown) => expect(seen === limit * entries, 'every entry was seen');
      for (const callers of [1, 32]) {
        yield {
          name: `memory list, page of ${limit}, ${entries} entries`,
          callers,
          limit: 'awaited slice',
          subjects: [
            { name: 'awaited slice', call: async () => all.slice(0, limit) },
            {
              name: 'list',
              call: () => sessions.list({ limit, page: 1 }),
              check: async () => isPageOf(limit, entries)((await must(sessions.list({ limit, page: 1 }))).sessions),
            },
            { name: 'list, histories looked at', call: lookingAt(listing(sessions, limit)), check: saw },
            {
              name: 'list of any page, histories looked at',
              call: lookingAt(listing(sessions, limit, any)),
              check: saw,
            },
          ],
        };
      }
    }
  }
}

async function* sizes({ quick }: Context): AsyncGenerator<Group> {
  yield* listSizes('memory', () => new SessionService({ store: new MemorySessionStore() }), quick);
}

export const memoryPages: Suite = { name: 'memory-list', groups: pages };
export const memorySizes: Suite = { name: 'memory-sizes', groups: sizes };
