import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { PageRange, RecordPage, StatusAt } from '../../src/store/session-store.js';
import { type PlantedBug, planted } from './planted-bug.js';

type Listing = (tenant: string, range: PageRange & { readonly status: StatusAt }) => RecordPage;

/** A store that has another way to list by status. */
const listing =
  (list: (inner: MemorySessionStore) => Listing) =>
  (inner: MemorySessionStore): Pick<MemorySessionStore, 'page'> => {
    const listByStatus = list(inner);
    return {
      page: (tenant, range) => {
        const { status } = range;
        return status === undefined
          ? inner.page(tenant, range)
          : ok(listByStatus(tenant, { ...range, status }));
      },
    };
  };

const listed = (inner: MemorySessionStore, tenant: string, range: PageRange): RecordPage =>
  inner.page(tenant, range)._unsafeUnwrap();

/** Bugs in lists by status at a time. */
export const plantedStatusBugs: readonly PlantedBug[] = [
  planted(
    'takes a session for ended a millisecond after its deadline',
    'status: a session is TERMINATED exactly from its expiry on, even for a slow clock',
    listing(
      (inner) => (tenant, range) =>
        listed(inner, tenant, { ...range, status: { ...range.status, now: range.status.now - 1 } }),
    ),
  ),
  planted(
    'lists what the clock has ended before what was ended by a call',
    'status: lists are the same by offset and by cursor, in both orders',
    listing((inner) => (tenant, range) => {
      const page = listed(inner, tenant, range);
      const isEnded = ({ state }: RecordPage['records'][number]) => state.status !== 'TERMINATED';
      const records = [
        ...page.records.filter(isEnded),
        ...page.records.filter((record) => !isEnded(record)),
      ];
      return { ...page, records };
    }),
  ),
  planted(
    'passes by a session that the clock has ended where a page ends with it',
    'status: lists are the same by offset and by cursor, in both orders',
    listing((inner) => (tenant, range) => {
      const page = listed(inner, tenant, range);
      const last = page.records.at(-1)?.state.status;
      return last === range.status.anyOf[0]
        ? page
        : { ...page, records: page.records.slice(0, -1) };
    }),
  ),
  planted(
    'writes down what the clock has ended when it lists',
    'status: a session is TERMINATED exactly from its expiry on, even for a slow clock',
    listing((inner) => (tenant, range) => {
      const due = inner.due(range.status.now, 1000)._unsafeUnwrap().sessions;
      for (const key of due) {
        const state = inner.findState(key)._unsafeUnwrap();
        if (state === undefined || state.status === 'TERMINATED') continue;
        const { status: _, ...phase } = state;
        const revision = state.revision + 1;
        const next = { ...phase, revision, status: 'TERMINATED', endReason: 'time_limit' } as const;
        const put = { state: next, previous: state };
        const guards = { revision: state.revision };
        inner.change({ key, guards, effects: { put, events: [] } });
      }
      return listed(inner, tenant, range);
    }),
  ),
];
