import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { StateRecord } from '../../src/session/session-record.js';
import type { DueKey, DueSession } from '../../src/store/session-store.js';
import { type PlantedBug, planted } from './planted-bug.js';

const FAR = Number.MAX_SAFE_INTEGER;

const allDue = (inner: MemorySessionStore): readonly DueSession[] =>
  inner.due(FAR, 1000)._unsafeUnwrap().sessions;

/** The memory store, which keeps other remains of a removed session. */
const keeping = (
  bug: string,
  caughtBy: string,
  change: (state: StateRecord) => StateRecord,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    remove: (key, { remains, ...removal } = {}) => {
      if (remains === undefined) return inner.remove(key, removal);
      const kept = { ...remains, state: change(remains.state) };
      return inner.remove(key, { ...removal, remains: kept });
    },
  }));

/** The memory store, whose due sessions are other ones. */
const dueWith = (
  bug: string,
  caughtBy: string,
  change: (sessions: readonly DueSession[], inner: MemorySessionStore) => readonly DueSession[],
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    due: (now, limit) =>
      inner.due(now, limit).map((due) => ({ ...due, sessions: change(due.sessions, inner) })),
  }));

const withoutReport = ({ report: _, ...state }: StateRecord): StateRecord => state;

const isTaken =
  'report: of two callers who claim one, one succeeds, and it is due when the claim is over';
const isKept = 'remains: what is left of a removed session is due, and no reader sees the session';
const isClaimed = 'remains: a claim moves the due time, and after a removal nothing is left';
const areApart =
  'remains: those of several sessions that had the same id are kept beside a new one';
const isNothing = 'remains: a removal that is stale, or without them, leaves nothing';

const keyIn = ({ tenant, id }: DueKey): string => JSON.stringify([tenant, id]);

export const plantedReportBugs: readonly PlantedBug[] = [
  planted(
    'does not say whether ends are reported',
    'report: the store says whether the deployment reports ends',
    () => ({
      reportsEnds: () => ok(JSON.parse('null')),
    }),
  ),
  planted(
    'makes a session due at its deadline in spite of its report',
    'report: a session is due at the time of its report, from that millisecond on',
    (inner) => ({
      replace: (key, previous, next, options) => {
        const replaced = inner.replace(key, previous, next, options);
        const { deadline, report } = next;
        if (report !== undefined) inner.reschedule(key, { from: report.dueAt, to: deadline });
        return replaced;
      },
      reschedule: () => ok('moved'),
    }),
  ),
  planted(
    'forgets the retention of a session whose end was reported',
    'report: a session without one is due when its retention is over',
    (inner) => ({
      replace: (key, previous, next, options) => {
        const replaced = inner.replace(key, previous, next, options);
        const isSettled = previous.report === undefined && next.status === 'TERMINATED';
        if (isSettled) inner.reschedule(key, { from: next.deadline, to: Number.POSITIVE_INFINITY });
        return replaced;
      },
      due: (now, limit) => {
        const due = inner.due(now, limit);
        return due.map((found) => ({
          ...found,
          sessions: found.sessions.filter((each) => {
            const state = inner.findState(each)._unsafeUnwrap();
            return state?.status !== 'TERMINATED' || state.report !== undefined;
          }),
        }));
      },
    }),
  ),
  planted('lets two callers claim one report', isTaken, (inner) => ({
    replace: (key, previous, next, options) => {
      const isClaim = next.report !== undefined && previous.report !== undefined;
      const current = isClaim ? inner.findState(key)._unsafeUnwrap() : undefined;
      return inner.replace(key, current ?? previous, next, options);
    },
  })),
  planted(
    'moves a report back to the end when a lease is released',
    'report: another change of the session keeps its time',
    (inner) => ({
      replace: (key, previous, next, options) => {
        const replaced = inner.replace(key, previous, next, options);
        const { work, report, since } = next;
        if (work.lease !== undefined && report !== undefined) {
          inner.reschedule(key, { from: report.dueAt, to: since });
        }
        return replaced;
      },
      reschedule: () => ok('moved'),
    }),
  ),
  planted(
    'moves a report by a call that is stale',
    'report: a call that is stale moves none, and a claim is no event',
    (inner) => ({
      replace: (key, previous, next, options) => {
        const replaced = inner.replace(key, previous, next, options);
        const [due] = allDue(inner).filter((each) => keyIn(each) === keyIn(key));
        if (
          replaced._unsafeUnwrap() === 'stale' &&
          next.report !== undefined &&
          due !== undefined
        ) {
          inner.reschedule(key, { from: due.dueAt, to: next.report.dueAt });
        }
        return replaced;
      },
      reschedule: () => ok('moved'),
    }),
  ),
  planted('keeps nothing of a removed session', isKept, (inner) => ({
    remove: (key, { remains: _, ...removal } = {}) => inner.remove(key, removal),
  })),
  keeping('keeps no labels of a removed session', isKept, ({ labels: _, ...state }) => state),
  keeping('makes what is left due at its deadline', isKept, withoutReport),
  dueWith('does not tell what is left from a session', isKept, (sessions) =>
    sessions.map(({ removal: _, ...session }) => session),
  ),
  planted('keeps a session that is removed with remains', isKept, (inner) => ({
    find: (key, size) => {
      const [left] = allDue(inner).filter(
        (each) => each.removal !== undefined && each.id === key.id,
      );
      const found = inner.find(key, size);
      if (left === undefined || found._unsafeUnwrap() !== undefined) return found;
      const state = inner.findState(left)._unsafeUnwrap();
      const head = {
        id: key.id,
        options: { face: '', profile: '', behavior: '', context: '', timeLimit: 0 },
      };
      const record = {
        history: [],
        historyCount: 0,
        sequence: 1,
        historyVersion: 'none',
        historyPosition: 0,
      };
      return ok(
        state && { ...record, head: { ...head, createdAt: '2026-01-31T12:00:00.000Z' }, state },
      );
    },
  })),
  planted('leaves what is left after its removal', isClaimed, (inner) => ({
    remove: (key, removal) =>
      key.removal === undefined ? inner.remove(key, removal) : ok('removed' as const),
  })),
  planted('lets two callers claim what is left', isClaimed, (inner) => ({
    replace: (key, previous, next, options) => {
      const current = key.removal === undefined ? undefined : inner.findState(key)._unsafeUnwrap();
      return inner.replace(key, current ?? previous, next, options);
    },
  })),
  planted('removes all that is left under an id', areApart, (inner) => ({
    remove: (key, removal) => {
      const others = allDue(inner).filter(
        (each) => each.removal !== undefined && each.id === key.id,
      );
      if (key.removal !== undefined) for (const each of others) inner.remove(each);
      return key.removal === undefined ? inner.remove(key, removal) : ok('removed' as const);
    },
  })),
  planted('overwrites what is left of an earlier session', areApart, (inner) => ({
    remove: (key, removal = {}) => {
      const isRemoval = removal.remains !== undefined;
      const others = allDue(inner).filter(
        (each) => each.removal !== undefined && each.id === key.id,
      );
      if (isRemoval) for (const each of others) inner.remove(each);
      return inner.remove(key, removal);
    },
  })),
  planted('keeps remains of a removal that is stale', isNothing, (inner) => ({
    remove: (key, removal = {}) => {
      const removed = inner.remove(key, removal);
      const { remains } = removal;
      if (removed._unsafeUnwrap() !== 'stale' || remains === undefined) return removed;
      const state = inner.findState(key)._unsafeUnwrap();
      const record = inner.find(key)._unsafeUnwrap();
      inner.remove(key, { remains });
      if (record !== undefined && state !== undefined) inner.insert(key.tenant, record.head, state);
      return removed;
    },
  })),
  planted(
    'cannot reschedule what is left',
    'remains: a sweep can reschedule them to any time',
    (inner) => ({
      reschedule: (key, rescheduling) =>
        key.removal === undefined ? inner.reschedule(key, rescheduling) : ok('moved' as const),
    }),
  ),
  planted(
    'counts what is left of live sessions',
    'remains: they count towards no limit on live sessions, and are due beside other tenants',
    (inner) => {
      let left = 0;
      return {
        remove: (key, removal) => {
          if (removal?.remains !== undefined) left += 1;
          return inner.remove(key, removal);
        },
        replace: (key, previous, next, options) => {
          const cap = options?.cap;
          const fewer = cap && { ...cap, sessions: cap.sessions - left };
          return inner.replace(key, previous, next, { ...options, cap: fewer });
        },
      };
    },
  ),
  planted(
    'removes whatever has become of a session',
    'remains: of an end and a removal at the same time, one decides what is due',
    (inner) => ({
      remove: (key, { revision, ...removal } = {}) => {
        const isForced = removal.remains !== undefined && revision !== 1;
        return inner.remove(
          key,
          isForced || revision === undefined ? removal : { ...removal, revision },
        );
      },
    }),
  ),
];
