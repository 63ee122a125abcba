import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { PageRange, RecordPage, StatusAt } from '../../src/store/session-store.js';
import { NOON } from '../../src/testing/samples.js';
import { type PlantedBug, planted } from './planted-bug.js';

const total = 'status: a session is TERMINATED exactly from its expiry on, even for a slow clock';
const samePages = 'status: lists are the same by offset and by cursor, in both orders';
const keepsPlace = 'status: a session that moves between the statuses of a list keeps its place';
const byUpdate = 'updated: lists the session first that was used, changed or ended last';
const byUpdateOfSome = 'updated: a list by statuses contains expired sessions as TERMINATED';
const isBounded = 'updated: a list by statuses examines up to 10,000 sessions';

type Ranged = PageRange & { readonly status: StatusAt };

const pageOf = (inner: MemorySessionStore, tenant: string, range: PageRange): RecordPage =>
  inner.page(tenant, range)._unsafeUnwrap();

/** The memory store, with another way to list by several statuses in the order of creation. */
const merging = (
  bug: string,
  caughtBy: string,
  merge: (inner: MemorySessionStore, tenant: string, range: Ranged) => RecordPage,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    page: (tenant, range) => {
      const { status, order } = range;
      const isMerged = status !== undefined && status.anyOf.length > 1 && order !== 'updated';
      return isMerged ? ok(merge(inner, tenant, { ...range, status })) : inner.page(tenant, range);
    },
  }));

/** The memory store, with another way to list all sessions by their last update. */
const updating = (
  bug: string,
  caughtBy: string,
  change: (range: PageRange) => PageRange,
  applies = (_: PageRange): boolean => true,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    page: (tenant, range) => {
      const isAll = range.order === 'updated' && range.labels === undefined && applies(range);
      return inner.page(tenant, isAll ? change(range) : range);
    },
  }));

/** Bugs in lists by several statuses, and by last update without labels. */
export const plantedStatusListBugs: readonly PlantedBug[] = [
  merging('counts the sessions of the first of several statuses', total, (inner, tenant, range) => {
    const { status } = range;
    const first = { ...status, anyOf: status.anyOf.slice(0, 1) };
    const page = pageOf(inner, tenant, range);
    return range.limit < 100
      ? page
      : { ...page, total: pageOf(inner, tenant, { ...range, status: first }).total };
  }),
  merging('starts every page but the first a session too late', samePages, (inner, tenant, range) =>
    pageOf(
      inner,
      tenant,
      range.limit === 4 && range.offset > 1 ? { ...range, offset: range.offset + 1 } : range,
    ),
  ),
  merging(
    'lists the sessions of one status after those of another',
    keepsPlace,
    (inner, tenant, range) => {
      const { status, offset, limit } = range;
      if (status.now !== NOON || limit !== 2) return pageOf(inner, tenant, range);
      const all = status.anyOf.flatMap((each) => [
        ...pageOf(inner, tenant, {
          ...range,
          offset: 0,
          limit: 100,
          status: { ...status, anyOf: [each] },
        }).records,
      ]);
      return { ...pageOf(inner, tenant, range), records: all.slice(offset, offset + limit) };
    },
  ),
  updating(
    'forgets that an expiry is an update, in a list of all',
    byUpdate,
    ({ now: _, ...range }) => range,
    ({ status }) => status === undefined,
  ),
  updating('takes the statuses that are stored, in a list by update', byUpdateOfSome, (range) => ({
    ...range,
    status: range.status && { ...range.status, now: Number.NEGATIVE_INFINITY },
  })),
  planted('examines any number of sessions of a status', isBounded, (inner) => ({
    page: (tenant, range) => {
      const found = inner.page(tenant, range);
      return found.isErr() && range.status !== undefined && range.labels === undefined
        ? inner.page(tenant, { ...range, order: 'newest' })
        : found;
    },
  })),
];
