import type { SessionService } from '../colloquy.js';
import type { Group, Subject } from '../harness/measure.js';
import { seedSessions } from '../seed.js';
import { checkSeeded, isPageOf } from './pages.js';
import { expect, must } from './suite.js';

const ENTRIES = 10;

/** Number of adjacent pages that are read in turns. */
const SPREAD = 20;

/**
 * Numbers of sessions, and the pages that are asked for beside the first where there are most of
 * them.
 */
const SIZES = { counts: [1000, 100_000, 1_000_000], deep: [50_000] } as const;
const QUICK_SIZES = { counts: [200, 1000], deep: [60] } as const;

const around = (sessions: SessionService, first: number) => {
  let calls = 0;
  return async () => {
    calls += 1;
    const listed = await must(sessions.list({ limit: 10, page: first + (calls % SPREAD) }));
    expect(listed.sessions.length === 10, 'a page of 10');
    return listed.sessions;
  };
};

/**
 * Pages from few and from many sessions, at the beginning and far from it. `open` gives an empty
 * service.
 */
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
      subjects.push({ name, call: around(sessions, page), check: isPageOf(10, ENTRIES) });
    }
  }
  const limits = [`${counts[0]} sessions, page 1`];
  yield { name: `${store} list by number of sessions`, callers: 1, limits, subjects };
}
