import { endsAt } from '../../src/session/time-limits.js';
import { type PlantedBug, planted } from './planted-bug.js';

const removed = 'remove: checks present, revision and unusedSince, and writes nothing if one fails';

const removals: readonly PlantedBug[] = [
  planted('removes whatever revision there is', removed, (inner) => ({
    remove: ({ guards: { revision: _, ...guards }, ...commit }) =>
      inner.remove({ ...commit, guards }),
  })),
  planted('removes a session that was used', removed, (inner) => ({
    remove: ({ guards: { unusedSince: _, ...guards }, ...commit }) =>
      inner.remove({ ...commit, guards }),
  })),
  planted('takes the revision 0 for none', removed, (inner) => ({
    remove: ({ guards, ...commit }) =>
      inner.remove({ ...commit, guards: { ...guards, revision: guards.revision || undefined } }),
  })),
  planted(
    'leaves nothing of a session',
    'remains: only due and findState return what is left of a removed session',
    (inner) => ({
      remove: ({ effects: all, ...commit }) =>
        inner.remove({ ...commit, effects: { ...all, remains: undefined } }),
    }),
  ),
  planted(
    'keeps what is left of the last session with an id',
    'remains: are separate for each session that had the id',
    (inner) => {
      const last = new Map<string, string>();
      return {
        remove: (commit) => {
          const { remains } = commit.effects;
          const before = last.get(commit.key.id);
          if (remains !== undefined && before !== undefined)
            inner.remove({
              key: { ...commit.key, removal: before },
              guards: {},
              effects: { events: [] },
            });
          if (remains !== undefined) last.set(commit.key.id, remains.removal);
          return inner.remove(commit);
        },
      };
    },
  ),
  planted(
    'has events of what is left',
    'events: a commit has no, one or several events, with the next sequences',
    (inner) => ({
      remove: (commit) => {
        const at = 0;
        return inner.remove({
          ...commit,
          effects: { ...commit.effects, events: [{ type: 'deleted', at }] },
        });
      },
    }),
  ),
];

const moved = 'move: checks present, revision and dueAt, and moves nothing if one fails';

const moves: readonly PlantedBug[] = [
  planted('moves a session from any time', moved, (inner) => ({
    move: (commit) => {
      const due = inner.due(Number.MAX_SAFE_INTEGER, 1000)._unsafeUnwrap().sessions;
      const { dueAt = commit.guards.dueAt } = due.find(({ id }) => id === commit.key.id) ?? {};
      return inner.change({ ...commit, guards: { ...commit.guards, dueAt } });
    },
  })),
  planted('moves a session of any revision', moved, (inner) => ({
    move: (commit) => inner.change({ ...commit, guards: { dueAt: commit.guards.dueAt } }),
  })),
  planted(
    'moves nothing back',
    'move: changes when a session is due, and nothing else',
    (inner) => ({
      move: (commit) => {
        const dueAt = Math.max(commit.guards.dueAt, commit.effects.dueAt);
        return inner.change({ ...commit, effects: { dueAt } });
      },
    }),
  ),
];

const inTime = 'take: hands out a session at its time, and not again before until';

const takes: readonly PlantedBug[] = [
  planted('hands a session out twice', inTime, (inner) => ({
    take: (range) => inner.take({ ...range, until: range.now }),
  })),
  planted('hands a session out a millisecond early', inTime, (inner) => ({
    take: (range) => inner.take({ ...range, now: range.now + 1 }),
  })),
  planted(
    'hands out more than was asked for',
    'take: hands out the longest waiting sessions up to limit, and changes nothing else',
    (inner) => ({
      take: (range) => inner.take({ ...range, limit: 10_000 }),
    }),
  ),
  planted(
    'hands out histories',
    'take: hands out a session at its time, and not again before until',
    (inner) => ({
      take: (range) =>
        inner.take(range).map((taken) => ({
          ...taken,
          sessions: taken.sessions.map((each) => ({
            ...each,
            record: inner.find(each)._unsafeUnwrap() ?? each.record,
          })),
        })),
    }),
  ),
  planted(
    'serves the tenant that has waited longest',
    'take: tenants take turns in all processes, whatever the limit',
    (inner) => {
      let busy: string | undefined;
      return {
        take: (range) => {
          const taken = inner.take({
            tenant: busy,
            ...(range.tenant !== undefined && { tenant: range.tenant }),
            now: range.now,
            until: range.until,
            limit: range.limit,
          });
          busy = taken._unsafeUnwrap().sessions[0]?.tenant;
          return taken;
        },
      };
    },
  ),
  planted(
    'forgets that others came before',
    'take: a session with an expired lease is not returned with others, or in company',
    (inner) => ({
      take: ({ inCompany: _, ...range }) => inner.take(range),
    }),
  ),
  planted(
    'counts what the clock has ended',
    'take: expired sessions are never returned, and do not delay others',
    (inner) => ({
      countWaiting: (range) => {
        const page = inner.page(range.tenant ?? '', { offset: 0, limit: 1000 })._unsafeUnwrap();
        const over = page.records.filter(({ state }) => endsAt(state) <= range.now).length;
        return inner.countWaiting(range).map((count) => count + over);
      },
    }),
  ),
  planted(
    'counts past its limit',
    'countWaiting: counts what take could return, up to its limit',
    (inner) => ({
      countWaiting: (range) => inner.countWaiting({ ...range, limit: 1e6 }),
    }),
  ),
];

export const plantedQueueBugs: readonly PlantedBug[] = [...removals, ...moves, ...takes];
