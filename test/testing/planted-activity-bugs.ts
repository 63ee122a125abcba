import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { HistoryAppend, SessionKey, SessionStore } from '../../src/store/session-store.js';
import { labelOf, type PlantedBug, planted } from './planted-bug.js';

const afterClock =
  'grace: entries are accepted after an end that the clock has made and nobody has stored';

type Note = (key: SessionKey, at: number) => void;

/** The memory store, where the last activity is what `record` has noted of appends and states. */
const noting = (
  bug: string,
  caughtBy: string,
  record: (note: Note, inner: MemorySessionStore) => Partial<SessionStore>,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => {
    const times = new Map<string, number>();
    const seen = <S extends { readonly lastActivityAt: number }>(key: SessionKey, state: S): S => ({
      ...state,
      lastActivityAt: times.get(labelOf(key)) ?? state.lastActivityAt,
    });
    return {
      find: (key, ...rest) =>
        inner
          .find(key, ...rest)
          .map((found) => found && { ...found, state: seen(key, found.state) }),
      findState: (key) => inner.findState(key).map((state) => state && seen(key, state)),
      list: (tenant, ...rest) =>
        inner.list(tenant, ...rest).map((page) => ({
          ...page,
          records: page.records.map((each) => ({
            ...each,
            state: seen({ tenant, id: each.head.id }, each.state),
          })),
        })),
      ...record((key, at) => times.set(labelOf(key), at), inner),
    };
  });

const lastOf = (inner: MemorySessionStore, key: SessionKey): number =>
  inner.findState(key)._unsafeUnwrap()?.lastActivityAt ?? 0;

const replaceNoting =
  (note: Note, inner: MemorySessionStore): SessionStore['replace'] =>
  (key, previous, next, options) =>
    inner.replace(key, previous, next, options).map((answer) => {
      note(key, lastOf(inner, key));
      return answer;
    });

const graceOf = (inner: MemorySessionStore, key: SessionKey): number =>
  inner.findState(key)._unsafeUnwrap()?.terms.graceMs ?? 0;

/** Bugs in the grace period. */
export const plantedGraceBugs: readonly PlantedBug[] = [
  planted(
    'accepts nothing after an end',
    'grace: entries are accepted in the grace period after a stored end, and change nothing else',
    (inner) => ({
      append: (key, append) => {
        const state = inner.findState(key)._unsafeUnwrap();
        return state?.status === 'TERMINATED' && graceOf(inner, key) > 0
          ? ok({ outcome: 'closed', state })
          : inner.append(key, append);
      },
    }),
  ),
  planted('has the last millisecond of it wrong', afterClock, (inner) => ({
    append: (key, append) => {
      const isLive = inner.findState(key)._unsafeUnwrap()?.status !== 'TERMINATED';
      return inner.append(key, {
        ...append,
        now: isLive && graceOf(inner, key) > 0 ? append.now - 1 : append.now,
      });
    },
  })),
  planted(
    'accepts entries of a session that is IDLE before its end',
    'grace: a session that is IDLE accepts entries from its end on',
    (inner) => ({
      append: (key, append) => {
        const state = inner.findState(key)._unsafeUnwrap();
        const isEarly =
          state?.status === 'IDLE' && graceOf(inner, key) > 0 && append.now < state.deadline;
        return inner.append(key, isEarly ? { ...append, now: state.deadline } : append);
      },
    }),
  ),
  planted(
    'takes an end by inactivity back for entries that come later',
    'grace: entries after an end by inactivity do not undo the end',
    (inner) => ({
      append: (key, append) => {
        const state = inner.findState(key)._unsafeUnwrap();
        const isIdle =
          state !== undefined && state.terms.inactivityTimeoutMs < Number.POSITIVE_INFINITY;
        const { graceMs = 0 } = state?.terms ?? {};
        if (
          isIdle &&
          append.now < state.lastActivityAt + state.terms.inactivityTimeoutMs + graceMs &&
          graceMs > 0
        )
          inner.append(key, { ...append, entries: [], now: state.lastActivityAt + 100 });
        return inner.append(key, append);
      },
    }),
  ),
];

const endOfUsed =
  'inactivity: an end that was computed before an append is stale, by a replace and by a removal';

/** Bugs in the time of the last activity. */
export const plantedActivityBugs: readonly PlantedBug[] = [
  planted('ends a session that was used since', endOfUsed, (inner) => ({
    replace: (key, previous, next, { event, cap } = {}) =>
      inner.replace(key, previous, next, { event, cap }),
  })),
  planted('removes a session that was used since', endOfUsed, (inner) => ({
    remove: (key, { unusedSince: _, ...rest } = {}) => inner.remove(key, rest),
  })),
  planted(
    'counts no append as activity',
    'activity: an append moves it to its time, and never back',
    (inner) => ({
      append: (key, append: HistoryAppend) =>
        inner.append(key, { ...append, now: Math.min(append.now, lastOf(inner, key)) }),
    }),
  ),
  noting(
    'moves it back',
    'activity: an append moves it to its time, and never back',
    (note, inner) => ({
      append: (key, append) =>
        inner.append(key, append).map((answer) => {
          if (answer.outcome === 'appended' && append.operation === undefined)
            note(key, append.now);
          return answer;
        }),
      replace: replaceNoting(note, inner),
    }),
  ),
  noting(
    'counts an append that writes nothing',
    'activity: an append that writes nothing does not move it',
    (note, inner) => ({
      append: (key, append) =>
        inner.append(key, append).map((answer) => {
          note(key, Math.max(lastOf(inner, key), answer.outcome === 'closed' ? 0 : append.now));
          return answer;
        }),
      replace: replaceNoting(note, inner),
    }),
  ),
  noting(
    'takes it from each new state',
    'activity: a new state moves it forward, and never back after an append',
    (note, inner) => ({
      replace: (key, previous, next, options) =>
        inner.replace(key, previous, next, options).map((answer) => {
          if (answer === 'replaced') note(key, next.lastActivityAt);
          return answer;
        }),
      append: (key, append) =>
        inner.append(key, append).map((answer) => {
          note(key, lastOf(inner, key));
          return answer;
        }),
    }),
  ),
];
