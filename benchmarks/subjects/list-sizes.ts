import type { SessionService } from '../colloquy.js';
import type { Group } from '../harness/measure.js';
import { seedSessions } from '../seed.js';
import { checkSeeded, isPageOf, listing } from './pages.js';

const ENTRIES = 10;

const SIZES = { counts: [1000, 100_000, 1_000_000], pages: [1, 1000, 50_000] } as const;
const QUICK_SIZES = { counts: [1000, 10_000], pages: [1, 100, 1000] } as const;

/** The first page from few and from many sessions, and pages far from the first. `open` gives an empty service. */
export async function* listSizes(
  store: string,
  open: (count: number) => SessionService,
  quick: boolean,
): AsyncGenerator<Group> {
  const { counts, pages } = quick ? QUICK_SIZES : SIZES;
  const services: { readonly count: number; readonly sessions: SessionService }[] = [];
  for (const count of counts) {
    const sessions = open(count);
    await seedSessions(sessions, count, ENTRIES);
    await checkSeeded({ sessions, total: count, entries: ENTRIES }, [1, count / 20, count / 10]);
    services.push({ count, sessions });
  }
  const check = isPageOf(10, ENTRIES);
  yield {
    name: `${store} list by number of sessions`,
    callers: 1,
    limit: `${counts[0]} sessions`,
    subjects: services.map(({ count, sessions }) => ({
      name: `${count} sessions`,
      call: listing(sessions, 10),
      check,
    })),
  };
  const most = services.at(-1);
  if (most === undefined) return;
  yield {
    name: `${store} list by page, ${most.count} sessions`,
    callers: 1,
    limit: 'page 1',
    subjects: pages.map((page) => ({
      name: `page ${page}`,
      call: listing(most.sessions, 10, () => page),
      check,
    })),
  };
}
