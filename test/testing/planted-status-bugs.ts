import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { PageRange, RecordPage, SessionKey, StatusAt } from '../../src/store/session-store.js';
import { labelOf, type PlantedBug, planted } from './planted-bug.js';

type Listing = (tenant: string, range: PageRange & { readonly status: StatusAt }) => RecordPage;

/** A store that has another way to list by status. */
const listing =
  (list: (inner: MemorySessionStore) => Listing) =>
  (inner: MemorySessionStore): Pick<MemorySessionStore, 'list'> => {
    const listByStatus = list(inner);
    return {
      list: (tenant, range, admit) => {
        const { status } = range;
        return status === undefined ? inner.list(tenant, range, admit) : ok(listByStatus(tenant, { ...range, status }));
      },
    };
  };

const listed = (inner: MemorySessionStore, tenant: string, range: PageRange): RecordPage =>
  inner.list(tenant, range)._unsafeUnwrap();

const statusBugs: readonly PlantedBug[] = [
  planted(
    'takes a session for ended a millisecond after its deadline',
    'status: a session whose deadline has passed is TERMINATED at that time, and only then',
    listing(
      (inner) => (tenant, range) =>
        listed(inner, tenant, { ...range, status: { ...range.status, now: range.status.now - 1 } }),
    ),
  ),
  planted(
    'lists what the clock has ended before what was ended by a call',
    'status: at a time, each page by offset is a slice of the same list, in both orders',
    listing((inner) => (tenant, range) => {
      const page = listed(inner, tenant, range);
      const isEnded = ({ state }: RecordPage['records'][number]) => state.status !== 'TERMINATED';
      const records = [...page.records.filter(isEnded), ...page.records.filter((record) => !isEnded(record))];
      return { ...page, records };
    }),
  ),
  planted(
    'passes by a session that the clock has ended where a page ends with it',
    'status: at a time, a walk by cursor meets each session once, in both orders and between two times',
    listing((inner) => (tenant, range) => {
      const page = listed(inner, tenant, range);
      const last = page.records.at(-1)?.state.status;
      return last === range.status.status ? page : { ...page, records: page.records.slice(0, -1) };
    }),
  ),
  planted(
    'writes down what the clock has ended when it lists',
    'status: a list by status writes nothing down, so that a clock which is behind sees what it saw',
    listing((inner) => (tenant, range) => {
      const due = inner.due(range.status.now, 1000)._unsafeUnwrap().sessions;
      for (const key of due) {
        const state = inner.findState(key)._unsafeUnwrap();
        if (state === undefined || state.status === 'TERMINATED') continue;
        const { status: _, ...phase } = state;
        const revision = state.revision + 1;
        inner.replace(key, { ...phase, revision, status: 'TERMINATED', endReason: 'time_limit' });
      }
      return listed(inner, tenant, range);
    }),
  ),
];

/** A `purge` that goes too far. */
const purging =
  (purge: (inner: MemorySessionStore, removed: readonly SessionKey[]) => void) => (inner: MemorySessionStore) => {
    const removed = new Map<string, SessionKey>();
    return {
      remove: (key: SessionKey, ...rest: [] | [{ readonly now?: number; readonly revision?: number }]) => {
        removed.set(labelOf(key), key);
        return inner.remove(key, ...rest);
      },
      purge: () => {
        purge(inner, [...removed.values()]);
        return ok(0);
      },
    };
  };

const purgeBugs: readonly PlantedBug[] = [
  planted(
    'purges a session that has the id of one that was removed',
    'purge: only what deletions have left is taken away, however often and whatever the time',
    purging((inner, removed) => {
      for (const key of removed) inner.remove(key);
    }),
  ),
  planted('blocks an id once it is purged', 'purge: an id whose traces were taken away can be used again', (inner) => {
    let isPurged = false;
    return {
      insert: (...args) => (isPurged ? ok('taken') : inner.insert(...args)),
      purge: (_, limit) => {
        isPurged ||= limit === 100 && inner.list('acme', { offset: 0, limit: 1 })._unsafeUnwrap().total === 0;
        return ok(0);
      },
    };
  }),
];

/** Bugs in lists by status at a time, and in `purge`. */
export const plantedStatusBugs: readonly PlantedBug[] = [...statusBugs, ...purgeBugs];
