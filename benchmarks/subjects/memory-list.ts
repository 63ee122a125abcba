import { MemorySessionStore, SessionService } from '../colloquy.js';
import type { Group } from '../harness/measure.js';
import { seedSessions } from '../seed.js';
import { isPageOf, listing, lookingAt } from './pages.js';
import { type Context, expect, type Suite } from './suite.js';

/** A page beside an awaited slice of an array: the least that anything asynchronous can do. */
async function* pages({ quick }: Context): AsyncGenerator<Group> {
  for (const entries of quick ? [10] : [10, 0, 50]) {
    const sessions = new SessionService({ store: new MemorySessionStore() });
    await seedSessions(sessions, 10_000, entries);
    const all = Array.from({ length: 10_000 }, (_, at) => ({ at }));
    for (const limit of quick ? [10] : [10, 100]) {
      const list = listing(sessions, limit);
      for (const callers of [1, 32]) {
        yield {
          name: `memory list, page of ${limit}, ${entries} entries`,
          callers,
          limit: 'awaited slice',
          subjects: [
            { name: 'awaited slice', call: async () => all.slice(0, limit) },
            { name: 'list', call: () => sessions.list({ limit, page: 1 }) },
            {
              name: 'list, histories looked at',
              call: lookingAt(list),
              check: (n) => expect(n === limit * entries, 'all'),
            },
          ],
        };
      }
      isPageOf(limit, entries)(await list());
    }
  }
}

/** The same page from few and from many sessions, and a page far from the first. */
async function* sizes({ quick }: Context): AsyncGenerator<Group> {
  const counts = quick ? [1000, 20_000] : [1000, 100_000, 1_000_000];
  const deep = quick ? 1500 : 50_000;
  const services = new Map<number, SessionService>();
  for (const count of counts) {
    const sessions = new SessionService({ store: new MemorySessionStore() });
    await seedSessions(sessions, count, count > 100_000 ? 1 : 10);
    services.set(count, sessions);
  }
  const last = counts.at(-1) ?? 0;
  const most = services.get(last);
  yield {
    name: 'memory list by number of sessions',
    callers: 1,
    limit: '1000 sessions, page 1',
    subjects: [
      ...[...services].map(([count, sessions]) => ({ name: `${count} sessions, page 1`, call: listing(sessions, 10) })),
      ...(most === undefined ? [] : [{ name: `${last} sessions, page ${deep}`, call: listing(most, 10, () => deep) }]),
    ],
  };
}

export const memoryPages: Suite = { name: 'memory-list', groups: pages };
export const memorySizes: Suite = { name: 'memory-sizes', groups: sizes };
