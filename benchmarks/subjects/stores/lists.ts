import { serviceOf } from '../../clock.js';

import type { Effort, Group, Subject } from '../../harness/measure.js';
import { lookAt } from '../pages.js';
import { type Context, expect, must } from '../suite.js';
import { createdMsOf, idOf, type OpenStore, type Start } from './compared-store.js';
import { ENTRIES, fill, writeSessions } from './fill.js';

/** Number of adjacent pages that are read in turns, so that none is read twice in a row. */
const SPREAD = 20;
const PAGE = 10;

/** Numbers of sessions, and a page far from the beginning of the most. */
const SIZES = { counts: [1000, 100_000, 1_000_000], deep: 50_000, long: 10_000 } as const;
const QUICK_SIZES = { counts: [200, 1000], deep: 60, long: 1000 } as const;

/** As the four stores are many: fewer and shorter rounds than usual. */
export const effortOf = ({ quick, rounds }: Context): Effort =>
  quick ? { rounds: 1, roundMs: 10 } : { rounds: Math.min(rounds, 9), roundMs: 100 };

const byHand = (name: string): string => `${name}, by hand`;

type How = 'page' | 'cursor' | 'light';

/** A page in the store, and the same by hand. */
const pair = async (
  database: OpenStore,
  {
    tenant,
    count,
    page,
    how,
  }: { readonly tenant: string; readonly count: number; readonly page: number; readonly how: How },
): Promise<readonly Subject[]> => {
  const sessions = serviceOf(database.open(false)).forTenant(tenant);
  const isLight = how === 'light';
  const query = { limit: PAGE, ...(isLight ? { historyLimit: 0 } : {}) };
  const cursors: string[] = [];
  const starts: Start[] = [];
  for (let at = page; at < page + SPREAD; at += 1) {
    const last = count - (at - 1) * PAGE;
    starts.push(
      how === 'cursor'
        ? { createdMs: createdMsOf(last), id: idOf(last) }
        : { skip: (at - 1) * PAGE },
    );
    if (how === 'cursor')
      cursors.push((await must(sessions.list({ ...query, page: at - 1 }))).nextCursor ?? '');
  }
  let calls = 0;
  const next = () => {
    calls += 1;
    return calls % SPREAD;
  };
  const list = async () => {
    const at = next();
    const after = cursors[at];
    return (
      await must(
        sessions.list({
          ...query,
          ...(after === undefined ? { page: page + at } : { cursor: after }),
        }),
      )
    ).sessions;
  };
  const listByHand = () => database.byHand.page(tenant, starts[next()] ?? { skip: 0 }, isLight);
  /**
   * The same sessions with the same histories; checked before the first call, so both are at the
   * same page.
   */
  const check = async () => {
    calls = 0;
    const own = await list();
    calls = 0;
    const other = await listByHand();
    const textOf = (
      all: readonly { readonly id: string; readonly history: readonly unknown[] }[],
    ) => JSON.stringify(all.map(({ id, history }) => [id, history]));
    expect(own.length === PAGE && textOf(own) === textOf(other), `the same page of ${PAGE}`);
    expect(
      own[0]?.id === idOf(count - 1 - (page % (count / PAGE)) * PAGE),
      'the page that was asked for',
    );
  };
  const kind = {
    page: `page ${page}`,
    cursor: `after a cursor at page ${page}`,
    light: `page ${page}, light`,
  }[how];
  const name = `${count} sessions, ${kind}`;
  return [
    { name: byHand(name), beside: [byHand(name)], call: async () => lookAt(await listByHand()) },
    { name, beside: [byHand(name)], call: async () => lookAt(await list()), check },
  ];
};

/**
 * Pages from few and from many sessions, at the beginning and far from it, beside the same pages by
 * hand.
 */
export async function* lists(
  name: string,
  database: OpenStore,
  context: Context,
): AsyncGenerator<Group> {
  const { counts, deep, long } = context.quick ? QUICK_SIZES : SIZES;
  const subjects: Subject[] = [];
  for (const count of counts) {
    const tenant = `of-${count}`;
    await fill(database, tenant, count);
    const add = async (page: number, how: How) =>
      subjects.push(...(await pair(database, { tenant, count, page, how })));
    await add(1, 'page');
    await add(1, 'light');
    if (count !== counts.at(-1)) continue;
    await add(deep, 'page');
    await add(deep, 'cursor');
  }
  const limits = [...new Set(subjects.flatMap(({ beside = [] }) => beside))];
  const effort = effortOf(context);
  for (const callers of [1, 32]) {
    yield {
      name: `${name} list beside the query by hand`,
      callers,
      limits,
      subjects,
      effort,
      isTimedSingly: true,
    };
  }
  yield await lengths(name, database, long, effort);
}

/** Pages without histories, of short and of long ones. */
const lengths = async (
  name: string,
  database: OpenStore,
  long: number,
  effort: Effort,
): Promise<Group> => {
  const subjects: Subject[] = [];
  for (const entries of [ENTRIES, long]) {
    const store = database.open(false);
    const tenant = `long-${entries}`;
    await writeSessions(store, tenant, { to: 5 * PAGE, entries });
    const sessions = serviceOf(store).forTenant(tenant);
    let calls = 0;
    subjects.push({
      name: `${entries} entries`,
      call: async () => {
        calls += 1;
        const listed = await must(
          sessions.list({ limit: PAGE, page: 1 + (calls % 5), historyLimit: 0 }),
        );
        expect(listed.sessions[0]?.historyCount === entries, `${entries} entries`);
      },
    });
  }
  return {
    name: `${name} light list by length of history`,
    callers: 1,
    limits: [`${ENTRIES} entries`],
    subjects,
    effort,
  };
};
