import type { SessionService } from '../colloquy.js';
import type { Group, Subject } from '../harness/measure.js';
import { seedSessions } from '../seed.js';
import { checkSeeded, isPageOf, listing } from './pages.js';

const ENTRIES = 10;

/** Numbers of sessions, and the pages that are asked for beside the first where there are most of them. */
const SIZES = { counts: [1000, 100_000, 1_000_000], deep: [1000, 50_000] } as const;
const QUICK_SIZES = { counts: [1000, 10_000], deep: [1000] } as const;

/** The first page from few and from many sessions, and pages far from the first. `open` gives an empty service. */
export async function* listSizes(
  store: string,
  open: (count: number) => SessionService,
  quick: boolean,
): AsyncGenerator<Group> {
  const { counts, deep } = quick ? QUICK_SIZES : SIZES;
  const subjects: Subject[] = [];
  for (const count of counts) {
    const sessions = open(count);
    await seedSessions(sessions, count, ENTRIES);
    await checkSeeded({ sessions, total: count, entries: ENTRIES }, [1, count / 20, count / 10]);
    for (const page of [1, ...(count === counts.at(-1) ? deep : [])]) {
      const name = `${count} sessions, page ${page}`;
      subjects.push({ name, call: listing(sessions, 10, () => page), check: isPageOf(10, ENTRIES) });
    }
  }
  yield { name: `${store} list by number of sessions`, callers: 1, limit: `${counts[0]} sessions, page 1`, subjects };
}
