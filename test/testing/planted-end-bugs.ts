import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { StateRecord } from '../../src/session/session-record.js';
import type { EndQueue, UnreportedEnd } from '../../src/store/end-queue.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { type PlantedBug, planted } from './planted-bug.js';

const FAR = Number.MAX_SAFE_INTEGER;

const endsWith = (
  { ends }: MemorySessionStore,
  changes: (ends: MemorySessionStore['ends']) => Partial<EndQueue>,
): Partial<SessionStore> => ({
  ends: {
    due: (now, limit) => ends.due(now, limit),
    postpone: (end, to) => ends.postpone(end, to),
    settle: (end) => ends.settle(end),
    ...changes(ends),
  },
});

const waitingFor = (inner: MemorySessionStore, id: string): readonly UnreportedEnd[] =>
  inner.ends
    .due(FAR, 1000)
    ._unsafeUnwrap()
    .ends.filter((end) => end.id === id);

const reporting = (state: StateRecord): StateRecord => ({ ...state, terms: { ...state.terms, reportEnds: true } });

export const plantedEndBugs: readonly PlantedBug[] = [
  planted(
    'reports an end a millisecond early',
    'ends: one that must be reported is due from its millisecond on, and its session is not due meanwhile',
    (inner) => endsWith(inner, (ends) => ({ due: (now, limit) => ends.due(now === FAR ? now : now + 1, limit) })),
  ),
  planted(
    'reports the end of a session that nobody has started',
    'ends: one that need not be reported is not among them, and its session is due at its deadline',
    (inner) => ({
      insert: (tenant, head, state, opening) =>
        inner.insert(tenant, head, head.id === 'two' && state.revision === 1 ? reporting(state) : state, opening),
      findState: (key) => inner.findState(key),
    }),
  ),
  planted(
    'makes a session due at once when its end is settled',
    'ends: once settled, one is gone, and its session is due when its retention is over',
    (inner) => ({
      due: (now, limit) =>
        inner.due(FAR, 1000).map(({ sessions, ...rest }) => ({
          ...rest,
          sessions: sessions
            .filter(({ dueAt, ...key }) => {
              const state = inner.findState(key)._unsafeUnwrap();
              return dueAt <= now || (state?.status === 'TERMINATED' && state.terms.reportEnds);
            })
            .slice(0, limit),
        })),
    }),
  ),
  planted(
    'postpones an end whenever it is due',
    'ends: of two callers who postpone one from the same time, one succeeds',
    (inner) =>
      endsWith(inner, (ends) => ({
        postpone: (end, to) => {
          const [found] = waitingFor(inner, end.id);
          return found === undefined ? ok('stale') : ends.postpone({ ...end, dueAt: found.dueAt }, to);
        },
      })),
  ),
  planted(
    'settles an end that another has claimed',
    'ends: one that another caller has claimed since is not settled',
    (inner) =>
      endsWith(inner, (ends) => ({
        settle: (end) => {
          const [found] = waitingFor(inner, end.id).filter(({ endId }) => endId === end.endId);
          return ends.settle(found ?? end);
        },
      })),
  ),
  planted(
    'forgets the end of a session that is removed',
    'ends: a removal of a session that has not ended is one, and no reader sees the session',
    (inner) => ({
      remove: (key, removal) => {
        const before = inner.findState(key)._unsafeUnwrap();
        const removed = inner.remove(key, removal);
        const isLive = before?.status === 'ACTIVE' && inner.find(key)._unsafeUnwrap() === undefined;
        const [end] = isLive ? waitingFor(inner, key.id).slice(-1) : [];
        if (end?.ended.isOk() && end.ended.value?.state.labels?.['user'] === 'u:1') inner.ends.settle(end);
        return removed;
      },
    }),
  ),
  planted(
    'forgets an end that waits when its session is removed',
    'ends: one that waits stays when its session is removed, with its due time',
    (inner) => ({
      remove: (key, removal) => {
        const wasOver = inner.findState(key)._unsafeUnwrap()?.status === 'TERMINATED';
        const removed = inner.remove(key, removal);
        for (const end of wasOver ? waitingFor(inner, key.id) : []) inner.ends.settle(end);
        return removed;
      },
    }),
  ),
  planted('settles all ends of an id', 'ends: a session under a removed id has one of its own', (inner) =>
    endsWith(inner, (ends) => ({
      settle: (end) => {
        const settled = ends.settle(end);
        for (const other of waitingFor(inner, end.id)) ends.settle(other);
        return settled;
      },
    })),
  ),
  planted(
    'moves an end back to its time when a lease is released',
    'ends: a change without a new status neither repeats nor moves one',
    (inner) => ({
      replace: (key, previous, next, options) => {
        const replaced = inner.replace(key, previous, next, options);
        if (next.lease !== undefined && next.status === 'TERMINATED') {
          for (const end of waitingFor(inner, key.id)) inner.ends.postpone(end, next.since);
        }
        return replaced;
      },
    }),
  ),
  planted(
    'removes an end of a session that it does not remove',
    'ends: a call that writes nothing makes none',
    (inner) => ({
      insert: (tenant, head, state, opening) => {
        const inserted = inner.insert(tenant, head, state, opening);
        if (inserted._unsafeUnwrap() === 'taken') for (const end of waitingFor(inner, head.id)) inner.ends.settle(end);
        return inserted;
      },
    }),
  ),
  planted(
    'reports the ends of one tenant after those of another',
    'ends: the longest overdue first, of all tenants, and a tenant with many delays none with few',
    (inner) =>
      endsWith(inner, (ends) => ({
        due: (now, limit) =>
          ends
            .due(now, 1000)
            .map((due) => ({ ...due, ends: due.ends.slice(0, limit), hasMore: due.ends.length > limit })),
      })),
  ),
];
