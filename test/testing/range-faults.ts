import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { ListCursor, PageRange, RecordPage } from '../../src/store/session-store.js';
import { type PlantedBug, planted } from './planted-bug.js';

const BY_TIME = 'page: sorts by creation time, then by id, in both orders, by offset and by cursor';

const CURSOR = 'page: a cursor continues after its place, even without a session there';

const BETWEEN = 'page: createdAfter and createdBefore exclude their own milliseconds';

/** A store that takes the range for another range, with the tenant's sessions to look at. */
const misunderstanding = (
  bug: string,
  caughtBy: string,
  misunderstand: (range: PageRange, inner: MemorySessionStore, tenant: string) => PageRange,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    page: (tenant, range) => inner.page(tenant, misunderstand(range, inner, tenant)),
  }));

const misstating = (
  bug: string,
  caughtBy: string,
  misstate: (page: RecordPage, range: PageRange) => RecordPage,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    page: (tenant, range) => inner.page(tenant, range).map((page) => misstate(page, range)),
  }));

const laterBy = (timestamp: string | undefined, ms: number): string | undefined =>
  timestamp === undefined ? undefined : new Date(Date.parse(timestamp) + ms).toISOString();

const placesOf = (
  inner: MemorySessionStore,
  tenant: string,
  range: PageRange,
): readonly ListCursor[] => {
  const { records } = inner
    .page(tenant, { offset: 0, limit: 1000, order: range.order })
    ._unsafeUnwrap();
  return records.map(({ head }) => ({ id: head.id, at: head.createdAt }));
};

const isThere = (inner: MemorySessionStore, tenant: string, { id }: ListCursor): boolean =>
  inner.findState({ tenant, id })._unsafeUnwrap() !== undefined;

/** Mistakes with orders, times and cursors. */
export const rangeFaults: readonly PlantedBug[] = [
  misunderstanding('knows one order', BY_TIME, ({ order: _, ...range }) => range),
  misunderstanding('lists what is of the time itself, after it', BETWEEN, (range) => ({
    ...range,
    createdAfter: laterBy(range.createdAfter, -1),
  })),
  misunderstanding('lists what is of the time itself, before it', BETWEEN, (range) => ({
    ...range,
    createdBefore: laterBy(range.createdBefore, 1),
  })),
  misunderstanding('ignores where to begin', CURSOR, ({ cursor: _, ...range }) => range),
  misunderstanding('passes over nothing after a cursor', CURSOR, (range) =>
    range.cursor === undefined ? range : { ...range, offset: 0 },
  ),
  misunderstanding('goes on after the whole millisecond of a cursor', CURSOR, (range) =>
    range.cursor === undefined
      ? range
      : { ...range, cursor: { ...range.cursor, id: range.order === 'oldest' ? '\uffff' : '' } },
  ),
  misunderstanding(
    'begins anew where the session of a cursor is gone',
    CURSOR,
    (range, inner, tenant) =>
      range.cursor === undefined || isThere(inner, tenant, range.cursor)
        ? range
        : { ...range, cursor: undefined },
  ),
  planted(
    'takes a cursor for a rank',
    'page: a walk by cursor neither skips nor repeats a session while others come and go',
    (inner) => {
      const ranks = new Map<string, number>();
      return {
        page: (tenant, range) => {
          const { cursor: after, ...rest } = range;
          const start = after === undefined ? 0 : (ranks.get(`${tenant}/${after.id}`) ?? 0);
          const page = inner
            .page(tenant, { ...rest, offset: range.offset + start })
            ._unsafeUnwrap();
          if (page.nextCursor !== undefined)
            ranks.set(`${tenant}/${page.nextCursor.id}`, start + range.offset + range.limit);
          return ok(page);
        },
      };
    },
  ),
  planted('gives the order of the ids alone', CURSOR, (inner) => ({
    page: (tenant, range) => {
      const { cursor: after, offset, limit } = range;
      if (after === undefined) return inner.page(tenant, range);
      const behind = placesOf(inner, tenant, range).filter(({ id }) =>
        range.order === 'oldest' ? id > after.id : id < after.id,
      );
      const ids = new Set(behind.slice(offset, offset + limit).map(({ id }) => id));
      return inner
        .page(tenant, { offset: 0, limit: 1000, order: range.order })
        .map((page) => ({ ...page, records: page.records.filter(({ head }) => ids.has(head.id)) }));
    },
  })),
  misstating('counts what is left', CURSOR, (page, range) =>
    range.cursor === undefined ? page : { ...page, total: page.records.length },
  ),
  misstating('never says that there is more', BY_TIME, ({ nextCursor: _, ...page }) => page),
  misstating('says that there is more where there may be', BY_TIME, (page) => {
    const last = page.records.at(-1)?.head;
    return last === undefined ? page : { ...page, nextCursor: { id: last.id, at: last.createdAt } };
  }),
  planted('counts those of all times', BETWEEN, (inner) => ({
    page: (tenant, range) =>
      inner.page(tenant, range).map((page) => ({
        ...page,
        total: inner.page(tenant, { offset: 0, limit: 0 })._unsafeUnwrap().total,
      })),
  })),
];
