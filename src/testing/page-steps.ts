import type { ListCursor, PageRange, RecordPage, SessionStore } from '../store/session-store.js';
import { answerOf, repeatUntil } from './answers.js';
import { NOON, TENANT } from './samples.js';

/** A time, in milliseconds after NOON. */
export const atOf = (ms: number): string => new Date(NOON + ms).toISOString();

/** A page of the first hundred sessions, or of a part of them. */
export const pageOf = (
  store: SessionStore,
  range: Partial<PageRange>,
  tenant = TENANT,
): Promise<RecordPage> => answerOf(store.page(tenant, { offset: 0, limit: 100, ...range }));

export const idsOf = ({ records }: RecordPage): readonly string[] =>
  records.map(({ head }) => head.id);

/** The ids and the total of a page, and where the next begins. */
export const listed = async (store: SessionStore, range: Partial<PageRange>) => {
  const page = await pageOf(store, range);
  return { ids: idsOf(page), total: page.total, next: page.nextCursor };
};

/** More pages than any list in these cases has. */
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
