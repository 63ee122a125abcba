import { ok, type Result, ResultAsync } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type {
  ClaimedRecord,
  ClaimedRecords,
  ClaimRange,
  DueSession,
  SessionKey,
  WaitingRange,
} from '../../src/store/session-store.js';
import { labelOf, type PlantedBug, planted } from './planted-bug.js';

const atTime =
  'claim: a session can be claimed from the millisecond on from which it waits for a worker';
const records = 'claim: gives each session as find does, without its history';
const again =
  'claim: a session that was claimed can be claimed again from `until` on, by all stores';
const order = 'claim: the longest waiting first, at most limit';
const races = 'claim: racing claims give each session to one caller, and leave none out';
const changes =
  'claim: a change of the state moves a session to its new time, also one that was claimed';
const leases =
  'claim: a lease holds off claims, and a claim that was not released is made again after a delay';
const others =
  'claim: appends, reads and sweeps leave what waits as it is, and claims leave the rest';
const nothing = 'claim: a call that writes nothing moves nothing';
const removed = 'claim: a removed session cannot be claimed, and a later one with its id can';
const tenants =
  "claim: gives a tenant's sessions, or those of all tenants; one with many delays none with few";
const metadata = 'metadata: is read as it was written, by every read, also after the end';

type Claimed = Result<ClaimedRecords, never>;

/** The memory store, whose claims are others. */
const claiming = (
  bug: string,
  caughtBy: string,
  claim: (inner: MemorySessionStore, range: ClaimRange) => Claimed,
): PlantedBug => planted(bug, caughtBy, (inner) => ({ claim: (range) => claim(inner, range) }));

/**
 * Makes sessions claimable again: a change of the state, here to itself, moves a session to its
 * time.
 */
const putBack = (inner: MemorySessionStore, sessions: readonly DueSession[]): void => {
  for (const key of sessions) {
    const state = inner.findState(key)._unsafeUnwrap();
    if (state !== undefined) inner.replace(key, state, state)._unsafeUnwrap();
  }
};

/** A session as a claim gives it; none if it is not there. */
const withRecord = (inner: MemorySessionStore, due: DueSession): readonly ClaimedRecord[] => {
  const record = inner.find(due, { historyLimit: 0 })._unsafeUnwrap();
  return record === undefined ? [] : [{ ...due, record }];
};

/** The memory store, which gives other records. */
const giving = (
  bug: string,
  caughtBy: string,
  give: (record: SessionRecord, inner: MemorySessionStore, key: SessionKey) => SessionRecord,
): PlantedBug =>
  claiming(bug, caughtBy, (inner, range) =>
    inner.claim(range).map(({ sessions, ...rest }) => ({
      ...rest,
      sessions: sessions.map((each) => ({ ...each, record: give(each.record, inner, each) })),
    })),
  );

/** Moves all sessions of a tenant that wait for a worker at any time. */
const moveAll = (inner: MemorySessionStore, tenant: string, until: number): void => {
  inner.claim({ tenant, now: Number.MAX_SAFE_INTEGER, until, limit: 1000 })._unsafeUnwrap();
};

/** The memory store, which chooses among all that waits. */
const choosing = (
  bug: string,
  caughtBy: string,
  choose: (waiting: readonly ClaimedRecord[], range: ClaimRange) => readonly ClaimedRecord[],
): PlantedBug =>
  claiming(bug, caughtBy, (inner, range) =>
    inner.claim({ ...range, limit: 10_000 }).map(({ sessions, ...rest }) => {
      const chosen = choose(sessions, range);
      putBack(
        inner,
        sessions.filter((each) => !chosen.includes(each)),
      );
      return { ...rest, sessions: chosen };
    }),
  );

/** The memory store, which keeps other states. */
const writing = (
  bug: string,
  caughtBy: string,
  write: (state: StateRecord) => StateRecord,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    insert: (tenant, head, state, opening) => inner.insert(tenant, head, write(state), opening),
    replace: (key, previous, next, options) => inner.replace(key, previous, write(next), options),
  }));

const inOrder: readonly PlantedBug[] = [
  claiming('hands a session out a millisecond late', atTime, (inner, range) =>
    inner.claim({ ...range, now: range.now - 1 }),
  ),
  claiming('says since when a session is out, not since when it waits', atTime, (inner, range) =>
    inner.claim(range).map(({ sessions, ...rest }) => ({
      ...rest,
      sessions: sessions.map((each) => ({ ...each, dueAt: range.until })),
    })),
  ),
  claiming('hands a session out again at once', again, (inner, range) =>
    inner.claim(range).map((page) => {
      putBack(inner, page.sessions);
      return page;
    }),
  ),
  claiming('keeps what was handed out for a millisecond too long', again, (inner, range) =>
    inner.claim({ ...range, until: range.until + 1 }),
  ),
  claiming('never hands a session out again', again, (inner, range) =>
    inner.claim({ ...range, until: Number.POSITIVE_INFINITY }),
  ),
  choosing('orders what waits by id', order, (waiting, { limit }) =>
    waiting.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit),
  ),
  choosing('hands out the shortest waiting first', order, (waiting, { limit }) =>
    waiting.toReversed().slice(0, limit),
  ),
  claiming('hands out one more than was asked for', order, (inner, range) =>
    inner.claim({ ...range, limit: range.limit + 1 }),
  ),
  planted('looks first and moves later', races, (inner) => ({
    claim: (range) => {
      const found = inner.claim(range);
      putBack(inner, found._unsafeUnwrap().sessions);
      const move = async () => inner.claim(range).andThen(() => found);
      return new ResultAsync(Promise.resolve().then(move));
    },
  })),
];

const whatIsGiven: readonly PlantedBug[] = [
  giving('gives the histories with what it hands out', records, (record, inner, key) => {
    return inner.find(key)._unsafeUnwrap() ?? record;
  }),
  giving('counts the entries that it gives, not those of the history', records, (record) => ({
    ...record,
    historyCount: record.history.length,
  })),
  giving('gives what it hands out as it was created', records, (record) => ({
    ...record,
    sequence: 1,
  })),
  giving(
    'hands out without metadata',
    records,
    ({ state: { metadata: _, ...state }, ...rest }) => ({
      ...rest,
      state,
    }),
  ),
];

const afterChanges: readonly PlantedBug[] = [
  planted('leaves what was handed out in its place when it changes', changes, (inner) => {
    let out = 0;
    return {
      claim: (range) => {
        out = range.until;
        return inner.claim(range);
      },
      replace: (key, ...change) => {
        const replaced = inner.replace(key, ...change);
        if (out > 0) moveAll(inner, key.tenant, out);
        return replaced;
      },
    };
  }),
  planted('hands out what has ended', changes, (inner) => {
    const ended: DueSession[] = [];
    return {
      replace: (key, previous, next, options) => {
        const { status, work } = next;
        const { wakeAt } = work;
        if (status === 'TERMINATED' && wakeAt !== undefined) ended.push({ ...key, dueAt: wakeAt });
        return inner.replace(key, previous, next, options);
      },
      claim: (range) =>
        inner.claim(range).map((page) => ({
          ...page,
          sessions: [...page.sessions, ...ended.flatMap((due) => withRecord(inner, due))],
        })),
    };
  }),
  writing('hands out what somebody has leased', leases, (state) => {
    const { lease: _, ...work } = state.work;
    return { ...state, work };
  }),
  writing('forgets a claim that was not released', leases, (state) => {
    const { lease, ...work } = state.work;
    if (lease === undefined) return state;
    const { maxAttempts: _, ...rest } = lease;
    return { ...state, work: { ...work, lease: rest } };
  }),
  writing('takes each lease for a claim', leases, (state) => {
    const { lease, ...work } = state.work;
    if (lease === undefined) return state;
    const until = lease.releasedAt ?? lease.until;
    const { releasedAt: _, ...rest } = lease;
    return { ...state, work: { ...work, lease: { ...rest, until, maxAttempts: 10 } } };
  }),
  planted('hands a session out again after an append', others, (inner) => ({
    append: (key, append) => {
      const appended = inner.append(key, append);
      putBack(inner, [{ ...key, dueAt: 0 }]);
      return appended;
    },
  })),
  claiming(
    'gives of all tenants one session of each, and no other until then',
    'claim: of all tenants, gives next what an earlier one has left',
    (inner, range) => {
      const claimed = inner.claim(range);
      if (range.tenant === undefined && range.limit === 1) inner.claim({ ...range, limit: 100 });
      return claimed;
    },
  ),
  planted('moves a session by a change that is refused', nothing, (inner) => ({
    replace: (key, previous, next, options) =>
      inner.replace(key, previous, next, options).map((outcome) => {
        if (outcome === 'stale') moveAll(inner, key.tenant, next.work.wakeAt ?? 0);
        return outcome;
      }),
  })),
  planted('hands out what was removed', removed, (inner) => {
    const gone: ClaimedRecord[] = [];
    return {
      remove: (key, removal) => {
        gone.push(...withRecord(inner, { ...key, dueAt: 0 }));
        return inner.remove(key, removal);
      },
      claim: (range) =>
        inner.claim(range).map((page) => ({ ...page, sessions: [...page.sessions, ...gone] })),
    };
  }),
  planted('hands out no session whose id was removed before', removed, (inner) => {
    const gone = new Set<string>();
    return {
      remove: (key, removal) => {
        gone.add(labelOf(key));
        return inner.remove(key, removal);
      },
      claim: (range) =>
        inner.claim(range).map((page) => ({
          ...page,
          sessions: page.sessions.filter((key) => !gone.has(labelOf(key))),
        })),
    };
  }),
];

const counts =
  'countWaiting: counts what a claim could return, by all stores, and leaves it to be claimed';
const countsOfAll =
  'countWaiting: counts the sessions of a tenant, or of all tenants, up to the limit';

/** The memory store, which counts otherwise. */
const counting = (
  bug: string,
  caughtBy: string,
  count: (inner: MemorySessionStore, range: WaitingRange) => Result<number, never>,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({ countWaiting: (range) => count(inner, range) }));

const whenCounting: readonly PlantedBug[] = [
  counting('counts what will wait later', counts, (inner, range) =>
    inner.countWaiting({ ...range, now: Number.MAX_SAFE_INTEGER }),
  ),
  counting('hands out what it counts', counts, (inner, range) => {
    const counted = inner.countWaiting(range);
    inner.claim({ ...range, until: range.now + 1000 });
    return counted;
  }),
  counting('counts the sessions of all tenants for each', countsOfAll, (inner, range) =>
    inner.countWaiting({ ...range, tenant: undefined }),
  ),
  counting('counts more than the limit', countsOfAll, (inner, range) =>
    inner.countWaiting({ ...range, limit: 10_000 }),
  ),
  counting('counts one session of each tenant', countsOfAll, (inner, range) =>
    inner
      .countWaiting(range)
      .map((count) => (range.tenant === undefined ? Math.min(count, 3) : count)),
  ),
];

/** Bugs in handing out the sessions that wait for a worker, and in keeping metadata. */
export const plantedClaimBugs: readonly PlantedBug[] = [
  ...inOrder,
  ...whatIsGiven,
  ...afterChanges,
  ...whenCounting,
  claiming('hands out the sessions of all tenants to each', tenants, (inner, range) =>
    inner.claim({ ...range, tenant: undefined }),
  ),
  choosing('serves the tenant first that waits the longest', tenants, (waiting, { limit }) =>
    waiting.slice(0, limit),
  ),
  claiming('hands out nothing to those who ask for all tenants', tenants, (inner, range) =>
    range.tenant === undefined
      ? ok({ sessions: [], failed: [], hasMore: false })
      : inner.claim(range),
  ),
  writing('drops metadata', metadata, ({ metadata: _, ...state }) => state),
  writing('drops the metadata of what has ended', metadata, (state) => {
    if (state.status !== 'TERMINATED') return state;
    const { metadata: _, ...rest } = state;
    return rest;
  }),
];
