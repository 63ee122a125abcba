import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { LiveLimit, PageRange, RecordPage, StatusAt } from '../../src/store/session-store.js';
import { type PlantedBug, planted } from './planted-bug.js';

type Listing = (tenant: string, range: PageRange & { readonly status: StatusAt }) => RecordPage;

/** A store that has another way to list by status. */
const listing =
  (page: (inner: MemorySessionStore) => Listing) =>
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
      const records = [
        ...page.records.filter(isEnded),
        ...page.records.filter((record) => !isEnded(record)),
      ];
      return { ...page, records };
    }),
  ),
  planted(
    'passes by a session that the clock has ended where a page ends with it',
    'status: at a time, a walk by cursor meets each session once, in both orders and between two times',
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
    'status: a list by status writes nothing, so that a caller whose clock is behind gets the same list as before',
    listing((inner) => (tenant, range) => {
      const due = inner.due(range.status.now, 1000)._unsafeUnwrap().sessions;
      for (const key of due) {
        const state = inner.findState(key)._unsafeUnwrap();
        if (state === undefined || state.status === 'TERMINATED') continue;
        const { status: _, ...phase } = state;
        const revision = state.revision + 1;
        inner.replace(key, state, {
          ...phase,
          revision,
          status: 'TERMINATED',
          endReason: 'time_limit',
        });
      }
      return listed(inner, tenant, range);
    }),
  ),
];

const beyond = 'live limit: a session beyond it is not replaced, until another one has ended';

/** The memory store, with another limit or time. */
const limiting = (
  bug: string,
  caughtBy: string,
  limit: (cap: LiveLimit) => LiveLimit | undefined,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    replace: (key, previous, next, options) =>
      inner.replace(key, previous, next, { ...options, cap: options?.cap && limit(options.cap) }),
  }));

/** Bugs in limits of live sessions. */
export const plantedLimitBugs: readonly PlantedBug[] = [
  planted('starts a session and says that there are too many', beyond, (inner) => ({
    replace: (key, previous, next, options) => {
      const refused = inner.replace(key, previous, next, options)._unsafeUnwrap() === 'too_many';
      const { event } = options ?? {};
      return refused
        ? inner.replace(key, previous, next, { event }).map(() => 'too_many' as const)
        : ok('replaced' as const);
    },
  })),
  limiting(
    'takes a limit of 0 for none',
    'live limit: none may be started under a limit of 0, and any number without a limit',
    (cap) => (cap.sessions === 0 ? undefined : cap),
  ),
  limiting(
    'counts a session whose deadline has passed',
    'live limit: a session counts until its deadline, and no longer',
    (cap) => ({ ...cap, now: cap.now - 1 }),
  ),
  planted(
    'tells of too many before it looks for the session',
    'live limit: each tenant has its own, and stale and missing are returned first',
    (inner) => ({
      replace: (key, previous, next, options) => {
        const cap = options?.cap;
        const status = { anyOf: ['ACTIVE'], now: cap?.now ?? 0 } as const;
        const { total } = inner.page(key.tenant, { offset: 0, limit: 1, status })._unsafeUnwrap();
        return cap !== undefined && total >= cap.sessions
          ? ok('too_many')
          : inner.replace(key, previous, next, options);
      },
    }),
  ),
  planted('does not count paused sessions', beyond, (inner) => ({
    replace: (key, previous, next, options) => {
      const cap = options?.cap;
      const status = { anyOf: ['PAUSED'], now: cap?.now ?? 0 } as const;
      const { total } = inner.page(key.tenant, { offset: 0, limit: 1, status })._unsafeUnwrap();
      const more = cap && { ...cap, sessions: cap.sessions + total };
      return inner.replace(key, previous, next, { ...options, cap: more });
    },
  })),
  planted(
    'counts a paused session that the clock has ended',
    'live limit: a paused session counts until the clock ends it',
    (inner) => ({
      replace: (key, previous, next, options) => {
        const cap = options?.cap;
        return inner.replace(key, previous, next, { ...options, cap: cap && { ...cap, now: 0 } });
      },
    }),
  ),
  planted(
    'counts, waits and writes',
    'live limit: of calls that race, as many succeed as it allows',
    (inner) => ({
      replace: async (key, previous, next, { event, cap } = {}) => {
        const status = { anyOf: ['ACTIVE'], now: cap?.now ?? 0 } as const;
        const { total } = inner.page(key.tenant, { offset: 0, limit: 1, status })._unsafeUnwrap();
        const isFull = cap !== undefined && total >= cap.sessions;
        await Promise.resolve();
        return inner.replace(key, previous, next, { event, cap: isFull ? cap : undefined });
      },
    }),
  ),
];
