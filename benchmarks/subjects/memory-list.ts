import { serviceOf } from '../clock.js';
import { MemorySessionStore, type Session } from '../colloquy.js';
import type { Group } from '../harness/measure.js';
import { seedSessions } from '../seed.js';
import { listSizes } from './list-sizes.js';
import { checkSeeded, isPageOf, listing, lookAt, scattered } from './pages.js';
import { type Context, resultOf, type Suite } from './suite.js';

const sessionsIn = (quick: boolean): number => (quick ? 200 : 10_000);

const SLICE = 'awaited slice';
const COPIED = 'slice, copied by hand';

const copyOf = ({ options, history, ...session }: Session): Session => ({
  ...session,
  options: { ...options },
  history: history.map((entry) => ({ ...entry })),
});

/** Any page beside a slice of an array, shared by the callers or copied as in the engine. */
async function* pages({ quick }: Context): AsyncGenerator<Group> {
  const total = sessionsIn(quick);
  for (const entries of quick ? [10] : [10, 0, 50]) {
    const sessions = serviceOf(new MemorySessionStore());
    await seedSessions(sessions, total, entries);
    await checkSeeded({ sessions, total, entries }, [1, 2, total / 10]);
    const all: Session[] = [];
    for await (const session of sessions.each({ limit: 100 })) all.push(resultOf(session));
    for (const limit of quick ? [10] : [10, 100]) {
      const next = scattered(total / limit);
      const slice = (): readonly Session[] => {
        const page = next();
        return all.slice((page - 1) * limit, page * limit);
      };
      const list = listing(sessions, total, limit);
      yield {
        name: `memory list, any page of ${limit}, ${entries} entries`,
        callers: 1,
        limits: [COPIED, SLICE],
        subjects: [
          { name: SLICE, call: async () => lookAt(slice()) },
          { name: COPIED, call: async () => lookAt(slice().map(copyOf)) },
          {
            name: 'list',
            call: async () => lookAt(await list()),
            check: async () => isPageOf(limit, entries)(await list()),
          },
        ],
      };
    }
  }
}

async function* sizes({ quick }: Context): AsyncGenerator<Group> {
  yield* listSizes('memory', () => serviceOf(new MemorySessionStore()), quick);
}

export const memoryPages: Suite = { name: 'memory-list', groups: pages };
export const memorySizes: Suite = { name: 'memory-sizes', groups: sizes };
