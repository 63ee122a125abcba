import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { ChangeCommit, Changed, StateChange, UseChange } from '../../src/store/commit.js';
import type { SessionStore } from '../../src/store/session-store.js';
import type { Changes } from '../support/store-doubles.js';
import { changing, type Judged, type PlantedBug, planted } from './planted-bug.js';

const effects = <C extends Judged>(commit: C, changes: object): C => ({
  ...commit,
  effects: { ...commit.effects, ...changes },
});

const using = (
  bug: string,
  caughtBy: string,
  use: (commit: UseChange, inner: MemorySessionStore) => ReturnType<SessionStore['change']>,
): PlantedBug => planted(bug, caughtBy, (inner) => ({ use: (commit) => use(commit, inner) }));

const putting = (
  bug: string,
  caughtBy: string,
  put: (commit: StateChange, inner: MemorySessionStore) => ReturnType<SessionStore['change']>,
): PlantedBug => planted(bug, caughtBy, (inner) => ({ put: (commit) => put(commit, inner) }));

const recognised =
  'operation: a repeated change is recognised before any other guard, and changes nothing';

const lost: readonly PlantedBug[] = [
  using(
    'loses the activity of an append',
    'put: keeps a later activity, and the end that follows',
    (commit, inner) => inner.change(effects(commit, { activity: undefined })),
  ),
  using(
    'takes an end by inactivity back for entries that come later',
    'random commits: match the model, from seed 101',
    (commit, inner) => {
      const state = inner.findState(commit.key)._unsafeUnwrap();
      const { inactivityTimeoutMs = 0, graceMs = 0 } = state?.terms ?? {};
      const lastActivityAt = state?.lastActivityAt ?? 0;
      const { activity = 0 } = commit.effects;
      const isGraced = activity < lastActivityAt + inactivityTimeoutMs + graceMs;
      if (Number.isFinite(inactivityTimeoutMs) && isGraced && graceMs > 0) {
        const later = { activity: lastActivityAt + 100, events: [] };
        inner.change({ key: commit.key, guards: {}, effects: later });
      }
      return inner.change(commit);
    },
  ),
  using(
    'loses all events but the first',
    'events: a commit has no, one or several events, with the next sequences',
    (commit, inner) => inner.change(effects(commit, { events: commit.effects.events.slice(0, 1) })),
  ),
  changing(
    'loses the entries of a put',
    'take: follows truncate, entries, send and withdraw in one step',
    (commit, inner) =>
      inner.change(
        (commit.effects.put === undefined
          ? commit
          : effects(commit, { entries: [] })) as ChangeCommit,
      ),
  ),
  changing('loses a rewind', 'truncate: removes later entries from every read', (commit, inner) =>
    inner.change(effects(commit, { truncate: undefined }) as ChangeCommit),
  ),
  changing(
    'takes a rewind to 0 for none',
    'truncate: empties a history, which continues at a new position',
    (commit, inner) => {
      const truncate = commit.effects.truncate || undefined;
      return inner.change(effects(commit, { truncate }) as ChangeCommit);
    },
  ),
  using(
    'answers a refused operation as repeated',
    'operation: a refused change leaves its id free',
    (commit, inner) => {
      const { operation } = commit.guards;
      const changed = inner.change(commit)._unsafeUnwrap();
      if (operation !== undefined && changed.outcome === 'refused')
        inner.change({ ...commit, guards: { operation }, effects: { truncate: 0, events: [] } });
      return ok(changed);
    },
  ),
  using('says made of a repeated change', recognised, (commit, inner) =>
    inner
      .change(commit)
      .map(
        (changed): Changed =>
          changed.outcome === 'repeated' ? { ...changed, outcome: 'made' } : changed,
      ),
  ),
  using(
    'takes ids of operations in any case',
    'operation: ids that look alike are different, and so are ids of different sessions',
    (commit, inner) => {
      const { operation } = commit.guards;
      const id = operation?.id.toLowerCase() ?? '';
      return inner.change({
        ...commit,
        guards: { ...commit.guards, operation: operation && { ...operation, id } },
      });
    },
  ),
  putting(
    'forgets the labels of a put',
    'put: moves a session only between the lists of its labels',
    (commit, inner) => {
      const { labels: _, ...state } = commit.effects.put.state;
      return inner.change(effects(commit, { put: { ...commit.effects.put, state } }));
    },
  ),
  putting(
    'replaces the activity by that of a put',
    'put: keeps a later activity, and the end that follows',
    (commit, inner) => {
      const { put } = commit.effects;
      const stored = inner.findState(commit.key)._unsafeUnwrap()?.lastActivityAt ?? 0;
      const isBack = put.state.lastActivityAt < stored;
      const state = {
        ...put.state,
        lastActivityAt: isBack ? stored + 1 : put.state.lastActivityAt,
      };
      return inner.change(effects(commit, { put: { ...put, state } }));
    },
  ),
  planted(
    'overwrites nothing',
    'redact: overwrites the content, id and data of entries, and keeps their positions',
    () => ({
      redact: () => ok({ outcome: 'made', position: 0 }),
    }),
  ),
  planted(
    'overwrites what it can of a refused redaction',
    'redact: overwrites nothing if one position is after the end',
    (inner) => ({
      redact: (commit) => {
        const { redact } = commit.effects;
        const answer = inner.change(commit);
        for (const position of redact)
          inner.change({ ...commit, effects: { ...commit.effects, redact: [position] } });
        return answer;
      },
    }),
  ),
];

/** A store whose indexes follow a change with the next one. */
const late = (
  bug: string,
  caughtBy: string,
  reads: (behind: SessionStore) => Changes,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => {
    const behind = planted('', '', () => ({})).makeStore();
    if (!('begin' in behind)) return {};
    let catchUp = (): unknown => undefined;
    const after = (next: () => unknown): void => {
      catchUp();
      catchUp = next;
    };
    return {
      begin: (commit) => {
        after(() => behind.begin(commit));
        return inner.begin(commit);
      },
      change: (commit) => {
        after(() => behind.change(commit));
        return inner.change(commit);
      },
      remove: (commit) => {
        after(() => behind.remove(commit));
        return inner.remove(commit);
      },
      take: (range) => {
        after(() => behind.take(range));
        return inner.take(range);
      },
      ...reads(behind),
    };
  });

const indexes: readonly PlantedBug[] = [
  late(
    'moves a session in its lists of labels late',
    'put: moves a session only between the lists of its labels',
    (behind) => ({ page: (tenant, range) => behind.page(tenant, range) }),
  ),
  late(
    'moves what is due late',
    'put: moves a session in both queues to the times of its state',
    (behind) => ({ due: (...range) => behind.due(...range) }),
  ),
  late(
    'moves what waits late',
    'send: queues a session for workers at its time, under a new revision',
    (behind) => ({ countWaiting: (range) => behind.countWaiting(range) }),
  ),
];

const begins: readonly PlantedBug[] = [
  planted(
    'begins a session over another',
    'begin: a taken id is refused by absent before any other guard',
    (inner) => ({
      begin: (commit) => {
        inner.remove({ key: commit.key, guards: {}, effects: { events: [] } });
        return inner.begin(commit);
      },
    }),
  ),
  planted(
    'forgets the guard source',
    'begin: source fails after a rewind, redaction or removal, and across tenants',
    (inner) => ({
      begin: ({ guards: { source: _, ...guards }, ...commit }) =>
        inner.begin({ ...commit, guards }),
    }),
  ),
  planted('checks live before source', 'begin: checks source before live', (inner) => ({
    begin: ({ guards: { source, live }, ...commit }) => {
      if (live?.sessions === 0) return ok({ outcome: 'refused', guard: 'live' });
      return inner.begin({ ...commit, guards: { source, live } });
    },
  })),
  planted(
    'counts the sessions that a clock has ended',
    'begin: live counts the open sessions of the tenant',
    (inner) => ({
      begin: ({ guards, ...commit }) => {
        const { live } = guards;
        return inner.begin({ ...commit, guards: { ...guards, live: live && { ...live, now: 0 } } });
      },
    }),
  ),
  planted(
    'loses the first entries',
    'begin: both stores read a new session and its entries exactly as given',
    (inner) => ({
      begin: ({ effects: all, ...commit }) =>
        inner.begin({ ...commit, effects: { ...all, entries: [] } }),
    }),
  ),
  planted(
    'loses events of a begin',
    'events: a commit has no, one or several events, with the next sequences',
    (inner) => ({
      begin: ({ effects: all, ...commit }) =>
        inner.begin({ ...commit, effects: { ...all, events: all.events.slice(0, 1) } }),
    }),
  ),
];

export const plantedEffectBugs: readonly PlantedBug[] = [...lost, ...indexes, ...begins];
