import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import { isSearch } from '../../src/store/page-range.js';
import type { PageRange, RecordPage } from '../../src/store/session-store.js';
import { type PlantedBug, planted } from './planted-bug.js';

const hasAll = 'label: a list contains exactly the sessions with all of its labels';
const isWalked = 'label: a list contains exactly the sessions with all of its labels';
const hasStatus = 'label: a list by label and status contains expired sessions as TERMINATED';
const isByUse = 'updated: lists the session first that was used, changed or ended last';
const isWhole = 'page: returns sessions as find does, and changes do not move them';
const isBounded =
  'label: a search examines up to 10,000 sessions, and a list by one label any number';

/** The memory store, with another way to look for labels. */
const searching = (
  bug: string,
  caughtBy: string,
  search: (inner: MemorySessionStore, tenant: string, range: PageRange) => RecordPage,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    page: (tenant, range) =>
      isSearch(range) && range.limit < 1000
        ? ok(search(inner, tenant, range))
        : inner.page(tenant, range),
  }));

const pageOf = (inner: MemorySessionStore, tenant: string, range: PageRange): RecordPage =>
  inner.page(tenant, range)._unsafeUnwrap();

/** The range with its first label alone. */
const withFirst = (range: PageRange): PageRange => ({
  ...range,
  labels: Object.fromEntries(Object.entries(range.labels ?? {}).slice(0, 1)),
});

/** Bugs in lists by several labels, by label and status, and by last update. */
export const plantedLabelSearchBugs: readonly PlantedBug[] = [
  searching('goes by the first of several labels', hasAll, (inner, tenant, range) =>
    pageOf(inner, tenant, withFirst(range)),
  ),
  searching('counts those of the first label', hasAll, (inner, tenant, range) => {
    const several = Object.keys(range.labels ?? {}).length > 1;
    const page = pageOf(inner, tenant, range);
    return several ? { ...page, total: pageOf(inner, tenant, withFirst(range)).total } : page;
  }),
  searching('begins anew after a cursor among several labels', isWalked, (inner, tenant, range) => {
    const { cursor: _, ...anew } = range;
    return pageOf(
      inner,
      tenant,
      range.order === 'updated' || range.status !== undefined ? range : anew,
    );
  }),
  searching('leaves out the status', hasStatus, (inner, tenant, range) => {
    const { status: _, ...any } = range;
    return pageOf(inner, tenant, range.order === 'updated' ? range : any);
  }),
  searching('goes by the status that is stored', hasStatus, (inner, tenant, { status, ...range }) =>
    pageOf(inner, tenant, {
      ...range,
      status:
        status && range.order !== 'updated' ? { ...status, now: Number.NEGATIVE_INFINITY } : status,
    }),
  ),
  searching(
    'lists the newest first where the last used are asked for',
    isByUse,
    (inner, tenant, range) =>
      pageOf(inner, tenant, range.order === 'updated' ? { ...range, order: 'newest' } : range),
  ),
  searching('forgets that an expiry is an update', isByUse, (inner, tenant, { now: _, ...range }) =>
    pageOf(inner, tenant, range),
  ),
  searching('gives the creation as the place of the last used', isByUse, (inner, tenant, range) => {
    const page = pageOf(inner, tenant, range);
    const last = page.records.at(-1)?.head;
    if (page.nextCursor === undefined || last === undefined || range.order !== 'updated')
      return page;
    return { ...page, nextCursor: { id: last.id, at: last.createdAt } };
  }),
  searching('leaves the histories out of what it has looked for', isWhole, (inner, tenant, range) =>
    pageOf(inner, tenant, { ...range, historyLimit: 0 }),
  ),
  planted('looks at any number of sessions of a label', isBounded, (inner) => ({
    page: (tenant, range) => {
      const found = inner.page(tenant, range);
      if (found.isOk() || range.labels === undefined) return found;
      const { status: _, order: __, ...alone } = range;
      return inner.page(tenant, withFirst(alone));
    },
  })),
];
