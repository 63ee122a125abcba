import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionStatus } from '../../src/session/session-status.js';
import type { LiveLimit, StateChange } from '../../src/store/commit.js';
import { type PlantedBug, planted } from './planted-bug.js';

const refuses = 'guards: a change that fails live writes nothing';
const counts = 'begin: live counts the open sessions of the tenant';

/** A change under another limit. */
const under = (commit: StateChange, live: LiveLimit | undefined): StateChange => ({
  ...commit,
  guards: { ...commit.guards, live },
});

const limiting = (
  bug: string,
  caughtBy: string,
  limit: (live: LiveLimit, tenant: string, inner: MemorySessionStore) => LiveLimit | undefined,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    begin: ({ guards, ...commit }) => {
      const { live } = guards;
      const other = live && limit(live, commit.key.tenant, inner);
      return inner.begin({ ...commit, guards: { ...guards, live: other } });
    },
    put: (commit) => {
      const { live } = commit.guards;
      return inner.change(under(commit, live && limit(live, commit.key.tenant, inner)));
    },
  }));

const countOf = (
  inner: MemorySessionStore,
  tenant: string,
  { now }: LiveLimit,
  status: SessionStatus,
): number => {
  const range = { offset: 0, limit: 1, status: { anyOf: [status], now } };
  return inner.page(tenant, range)._unsafeUnwrap().total;
};

const without =
  (status: SessionStatus) =>
  (live: LiveLimit, tenant: string, inner: MemorySessionStore): LiveLimit => ({
    ...live,
    sessions: live.sessions + countOf(inner, tenant, live, status),
  });

/** Bugs in limits of live sessions. */
export const plantedLimitBugs: readonly PlantedBug[] = [
  planted('makes a change and says that there are too many', refuses, (inner) => ({
    put: (commit) => {
      const changed = inner.change(commit)._unsafeUnwrap();
      if (changed.outcome === 'refused' && changed.guard === 'live')
        inner.change(under(commit, undefined));
      return ok(changed);
    },
  })),
  limiting('takes a limit of 0 for none', counts, (live) =>
    live.sessions === 0 ? undefined : live,
  ),
  limiting('counts a session at its deadline', counts, (live) => ({ ...live, now: live.now - 1 })),
  limiting('counts what the clock has ended', counts, (live) => ({ ...live, now: 0 })),
  limiting('does not count paused sessions', counts, without('PAUSED')),
  planted('counts before all else', 'guards: checks live after all others', (inner) => ({
    put: (commit) => {
      const { live } = commit.guards;
      const { tenant } = commit.key;
      const isFull = live && countOf(inner, tenant, live, 'ACTIVE') >= live.sessions;
      return isFull ? ok({ outcome: 'refused', guard: 'live' }) : inner.change(commit);
    },
  })),
  planted(
    'counts, waits and writes',
    'races: 50 begins and 50 puts never exceed the limit of live sessions',
    (inner) => ({
      put: async (commit) => {
        const { live } = commit.guards;
        const { tenant } = commit.key;
        const isFull = live && countOf(inner, tenant, live, 'ACTIVE') >= live.sessions;
        await Promise.resolve();
        return inner.change(isFull ? commit : under(commit, undefined));
      },
    }),
  ),
];
