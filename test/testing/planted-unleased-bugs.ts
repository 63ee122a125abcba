import { ok, type Result } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { StateRecord } from '../../src/session/session-record.js';
import type { SessionKey, UnleasedPage, UnleasedRange } from '../../src/store/session-store.js';
import { type PlantedBug, planted } from './planted-bug.js';

const order =
  'unleased: gives the longest waiting first: by the end of a lease, its release, or the entry of the status';
const end = 'unleased: a session that somebody holds comes at the end of its lease, to the millisecond';
const statuses = 'unleased: each status has its own sessions, and those that have ended or are removed are gone';
const cursor = 'unleased: a walk by cursor meets each session once, also among many of one millisecond';
const moving =
  'unleased: a walk by cursor stays correct while sessions before and after its position are leased, end or are removed';

type Page = Result<UnleasedPage, never>;

/** The memory store, which reads other sessions. */
const reading = (
  bug: string,
  caughtBy: string,
  read: (inner: MemorySessionStore, tenant: string, range: UnleasedRange) => Page,
): PlantedBug => planted(bug, caughtBy, (inner) => ({ unleased: (tenant, range) => read(inner, tenant, range) }));

const all = (inner: MemorySessionStore, tenant: string, range: UnleasedRange): UnleasedPage =>
  inner.unleased(tenant, { ...range, limit: 1000, after: undefined })._unsafeUnwrap();

/** The memory store, which indexes another state than it keeps: the state that it gives is the one that was written. */
const indexing = (bug: string, caughtBy: string, indexed: (next: StateRecord) => StateRecord): PlantedBug =>
  planted(bug, caughtBy, (inner) => {
    const written = new Map<string, StateRecord>();
    const write = ({ tenant, id }: SessionKey, state: StateRecord) => written.set(`${tenant} ${id}`, state);
    return {
      insert: (tenant, head, state, opening) => {
        write({ tenant, id: head.id }, state);
        return inner.insert(tenant, head, indexed(state), opening);
      },
      replace: (key, previous, next, options) => {
        write(key, next);
        return inner.replace(key, previous, indexed(next), options);
      },
      unleased: (tenant, range) =>
        inner.unleased(tenant, range).map((page) => ({
          ...page,
          records: page.records.map((record) => ({
            ...record,
            state: written.get(`${tenant} ${record.head.id}`) ?? record.state,
          })),
        })),
    };
  });

/** Bugs in finding the sessions that nobody holds. */
export const plantedUnleasedBugs: readonly PlantedBug[] = [
  indexing('orders by the entry of the status, whatever the leases', order, ({ lease: _, ...state }) => state),
  indexing('forgets when a session was released', order, (state) =>
    state.lease?.releasedAt === undefined ? state : { ...state, lease: { ...state.lease, releasedAt: 0 } },
  ),
  indexing('keeps a session at the end of its first lease', end, (state) =>
    state.lease === undefined || state.lease.releasedAt !== undefined || state.since !== state.lease.takenAt
      ? state
      : { ...state, lease: { ...state.lease, until: Math.min(state.lease.until, state.lease.takenAt + 1000) } },
  ),
  reading('gives the sessions that somebody holds too', end, (inner, tenant, range) =>
    inner.unleased(tenant, { ...range, now: range.now + 1000 }),
  ),
  reading('gives a session a millisecond late', end, (inner, tenant, range) =>
    inner.unleased(tenant, { ...range, now: range.now - 1 }),
  ),
  reading('finds paused sessions among the active ones', statuses, (inner, tenant, range) =>
    range.status === 'PAUSED' ? inner.unleased(tenant, { ...range, status: 'ACTIVE' }) : inner.unleased(tenant, range),
  ),
  planted('keeps what has ended', statuses, (inner) => {
    let ended: UnleasedPage | undefined;
    return {
      replace: (key, previous, next, options) => {
        if (next.status === 'TERMINATED') {
          ended = inner
            .unleased(key.tenant, { status: 'ACTIVE', now: Number.MAX_SAFE_INTEGER, limit: 1 })
            ._unsafeUnwrap();
        }
        return inner.replace(key, previous, next, options);
      },
      unleased: (tenant, range) =>
        ended !== undefined && range.limit === 100 && range.status === 'ACTIVE'
          ? ok(ended)
          : inner.unleased(tenant, range),
    };
  }),
  reading(
    'passes by the sessions that wait since the same millisecond as the last of a page',
    cursor,
    (inner, tenant, range) =>
      inner.unleased(tenant, { ...range, after: range.after && { ...range.after, id: '\uffff' } }),
  ),
  reading('begins again with the last session of a page', cursor, (inner, tenant, range) => {
    const { after, limit } = range;
    if (after === undefined) return inner.unleased(tenant, range);
    const { records, unreadable } = all(inner, tenant, range);
    const start = records.findIndex(({ head }) => head.id === after.id);
    const page = records.slice(start, start + limit);
    return ok({ records: page, unreadable });
  }),
  reading('says that there is more after the last page', cursor, (inner, tenant, range) =>
    inner.unleased(tenant, range).map((page) => {
      const last = page.records.at(-1);
      return last === undefined ? page : { next: { since: last.state.since, id: last.head.id }, ...page };
    }),
  ),
  reading('goes on by number', moving, (inner, tenant, range) => {
    const { records, unreadable } = all(inner, tenant, range);
    const start = range.after === undefined ? 0 : Number(range.after.id);
    const next = start + range.limit;
    return ok({
      records: records.slice(start, next),
      unreadable,
      ...(next < records.length && { next: { since: 0, id: String(next) } }),
    });
  }),
  planted(
    'brings a session forward with each append',
    'unleased: an append neither moves a session nor brings it forward',
    (inner) => {
      let isUsed = false;
      return {
        append: (key, append) => {
          isUsed = append.operation !== undefined;
          return inner.append(key, append);
        },
        unleased: (tenant, range) =>
          inner
            .unleased(tenant, range)
            .map((page) => (isUsed ? { ...page, records: page.records.toReversed() } : page)),
      };
    },
  ),
  reading(
    'reads the histories too',
    'unleased: gives sessions as find gives them without their history',
    (inner, tenant, range) =>
      inner.unleased(tenant, range).map((page) => ({
        ...page,
        records: page.records.flatMap(({ head }) => inner.find({ tenant, id: head.id })._unsafeUnwrap() ?? []),
      })),
  ),
  reading(
    "finds a tenant's sessions by the beginning of its name",
    "unleased: gives no other tenant's sessions, and both stores give the same",
    (inner, tenant, range) =>
      inner
        .unleased(tenant, range)
        .map((page) => ({ ...page, records: [...page.records, ...all(inner, `${tenant}:`, range).records] })),
  ),
];
