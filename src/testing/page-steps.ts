import type { ListCursor, PageRange, RecordPage, SessionStore } from '../store/session-store.js';
import { answerOf, expectEqual, repeatUntil } from './answers.js';
import { NOON, TENANT } from './samples.js';

export const atOf = (ms: number): string => new Date(NOON + ms).toISOString();

/** Between two times in milliseconds after NOON, both excluded. */
export const between = (after: number, before: number) => ({
  createdAfter: atOf(after),
  createdBefore: atOf(before),
});

export const orders = ['newest', 'oldest'] as const;

/** A page of the first hundred sessions, or of a part of them. */
export const pageOf = (
  store: SessionStore,
  range: Partial<PageRange>,
  tenant = TENANT,
): Promise<RecordPage> => answerOf(store.page(tenant, { offset: 0, limit: 100, ...range }));

export const idsOf = ({ records }: RecordPage): readonly string[] =>
  records.map(({ head }) => head.id);

/** The ids and the total of a page, and the cursor of the next. */
export const listed = async (store: SessionStore, range: Partial<PageRange>) => {
  const page = await pageOf(store, range);
  return { ids: idsOf(page), total: page.total, next: page.nextCursor };
};

/** More pages than any list of the cases has. */
const MAXIMUM_PAGES = 100;

/** The ids on pages that follow one another by cursor. `between` runs before each further page. */
export const walk = async (
  store: SessionStore,
  range: Partial<PageRange>,
  between?: (next: ListCursor, met: readonly string[]) => Promise<unknown>,
  tenant = TENANT,
): Promise<readonly string[]> => {
  const met: string[] = [];
  let { cursor } = range;
  await repeatUntil('a page without nextCursor', MAXIMUM_PAGES, async () => {
    const page = await pageOf(store, { ...range, cursor }, tenant);
    met.push(...idsOf(page));
    cursor = page.nextCursor;
    if (cursor !== undefined) await between?.(cursor, met);
    return cursor === undefined;
  });
  return met;
};

/** The ids of a list in the orders that its range allows, given the newest first. */
const inOrders = ({ order }: Partial<PageRange>, ids: readonly string[]) =>
  (order === undefined ? orders : [order]).map(
    (each) => [each, each === 'oldest' ? ids.toReversed() : ids] as const,
  );

/** Fails unless each page by offset is a slice of this list, given the newest first. */
const expectSlices = async (
  store: SessionStore,
  range: Partial<PageRange>,
  newest: readonly string[],
  what: string,
): Promise<void> => {
  const { length } = newest;
  for (const [order, all] of inOrders(range, newest))
    for (const offset of [0, 1, 2, length - 1, length, 2 ** 31, Number.MAX_SAFE_INTEGER])
      for (const limit of [0, 1, 4, length - 1, length, 100]) {
        if (offset < 0 || limit < 0) continue;
        const page = await pageOf(store, { ...range, order, offset, limit });
        const which = `${what}, ${order} first, ${limit} from ${offset} on:`;
        expectEqual(idsOf(page), all.slice(offset, offset + limit), `${which} the ids`);
        expectEqual([page.total, page.unreadable], [length, []], `${which} the rest`);
        const { id, createdAt: at } = page.records.at(-1)?.head ?? {};
        const next = offset + limit < length ? { id, at } : undefined;
        if (limit > 0) expectEqual(page.nextCursor, next, `${which} nextCursor`);
      }
};

/** Fails unless a range has this list, given the newest first, and walks by cursor meet all of it. */
export const expectWalks = async (
  store: SessionStore,
  range: Partial<PageRange>,
  newest: readonly string[],
  what: string,
): Promise<void> => {
  const { length: total } = newest;
  for (const [order, ids] of inOrders(range, newest)) {
    for (const limit of new Set([1, 2, 3, 5, total - 1, total, total + 1])) {
      if (limit < 1) continue;
      const met = await walk(store, { ...range, order, limit });
      expectEqual(met, ids, `${what}, a walk by ${limit}, ${order} first`);
    }
    const all = { ids, total, next: undefined };
    expectEqual(await listed(store, { ...range, order }), all, `${what}, ${order} first`);
  }
};

/** Fails unless pages by offset and walks by cursor have this list, given the newest first. */
export const expectList: typeof expectWalks = async (...list) => {
  await expectWalks(...list);
  await expectSlices(...list);
};
