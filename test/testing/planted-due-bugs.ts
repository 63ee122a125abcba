import { ok } from 'neverthrow';
import { endsAt } from '../../src/session/state-at.js';
import { type PlantedBug, planted } from './planted-bug.js';

export const plantedDueBugs: readonly PlantedBug[] = [
  planted('orders what is due by id', 'due: the longest overdue first, at most limit', (inner) => ({
    due: (now, limit) =>
      inner.due(now, 10_000).map(({ sessions, ...rest }) => ({
        sessions: sessions.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit),
        ...rest,
      })),
  })),
  planted(
    'finds one due session for each deadline',
    'due: sessions with the same deadline are all due',
    (inner) => ({
      due: (now, limit) =>
        inner.due(now, 10_000).map(({ sessions, ...rest }) => ({
          sessions: [
            ...new Map(sessions.map((session) => [session.dueAt, session])).values(),
          ].slice(0, limit),
          ...rest,
        })),
    }),
  ),
  planted(
    'serves the tenant first that waits the longest',
    'due: of all tenants, and a tenant with many delays none with few',
    (inner) => ({
      due: (now, limit) =>
        inner.due(now, 10_000).map(({ sessions, failed }) => ({
          sessions: sessions.slice(0, limit),
          failed,
          hasMore: sessions.length > limit,
        })),
    }),
  ),
  planted(
    'reschedules a session whenever it is due',
    'reschedule: of two callers who reschedule a session from the same time, one succeeds',
    (inner) => ({
      reschedule: (key, { to, ...rest }) => {
        const due = inner.due(Number.MAX_SAFE_INTEGER, 1000)._unsafeUnwrap().sessions;
        const from = due.find(({ id, tenant }) => id === key.id && tenant === key.tenant)?.dueAt;
        return from === undefined ? ok('stale') : inner.reschedule(key, { ...rest, from, to });
      },
    }),
  ),
  planted(
    'puts off whatever it is told to',
    'reschedule: a session that has not ended is due no later than at its deadline, unless it is damaged',
    (inner) => ({ reschedule: (key, move) => inner.reschedule(key, { ...move, isDamaged: true }) }),
  ),
  planted(
    'says that a session has moved that keeps its time',
    'reschedule: a session that keeps its time has not moved, and waits for a worker from the same time on',
    (inner) => ({
      reschedule: (key, move) => {
        const state = inner.findState(key)._unsafeUnwrap();
        const isDueThen = state !== undefined && move.from === endsAt(state);
        return isDueThen &&
          move.to >= move.from &&
          move.to < Number.POSITIVE_INFINITY &&
          !move.isDamaged
          ? ok('moved')
          : inner.reschedule(key, move);
      },
    }),
  ),
];
