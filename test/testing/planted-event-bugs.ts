import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import { type EventDetail, leaseDetailOf } from '../../src/session/event-detail.js';
import type { SessionKey } from '../../src/store/session-store.js';
import { NOON } from '../../src/testing/samples.js';
import { changing, eventsWith, type PlantedBug, planted } from './planted-bug.js';

/** Reports an event without a change. */
const tell = (inner: MemorySessionStore, key: SessionKey, detail: EventDetail): void => {
  const record = inner.find(key)._unsafeUnwrap();
  inner.events?.log(key, { incarnation: 'none', sequence: record?.sequence ?? 1 }, detail);
};

const hasItsEvent = 'events: a commit has no, one or several events, with the next sequences';
const ofTime = 'events: the time of the log is never later than that of a later event';
const writesNothing = 'guards: a change that fails end writes nothing';
const hasOne = 'events: of racing calls, only the one that is made has an event';

const appended = { type: 'appended', at: NOON, start: 0 } as const;

/** Changes without their event, events without a change, and doubled events. */
export const plantedEventBugs: readonly PlantedBug[] = [
  planted('expires a session without an event', hasItsEvent, (inner) => ({
    events: eventsWith(inner, (events) => ({
      read: (...args) =>
        events.read(...args).map((page) => ({
          ...page,
          events: page.events.filter(
            (event) => event.type !== 'session.terminated' || event.endReason !== 'time_limit',
          ),
        })),
    })),
  })),
  planted('tells an event only once another event follows it', hasItsEvent, (inner) => ({
    events: eventsWith(inner, (events) => ({
      read: (...args) =>
        events.read(...args).map((page) => ({ ...page, events: page.events.slice(0, -1) })),
    })),
  })),
  planted('has a clock that is ahead of its events', ofTime, (inner) => ({
    events: eventsWith(inner, (events) => ({ now: () => events.now().map((ms) => ms + 60_000) })),
  })),
  planted('has a clock that stands still', ofTime, (inner) => ({
    events: eventsWith(inner, () => ({ now: () => ok(0) })),
  })),
  changing('tells of an append that it has refused', writesNothing, (commit, inner) =>
    inner.change(commit).map((answer) => {
      if (answer.outcome === 'refused' && answer.guard === 'end')
        tell(inner, commit.key, { ...appended, position: answer.position });
      return answer;
    }),
  ),
  changing('tells of a renewed lease', hasItsEvent, (commit, inner) => {
    const { lease } = commit.effects.put?.state.work ?? {};
    const before = inner.findState(commit.key)._unsafeUnwrap()?.work.lease;
    return inner.change(commit).map((answer) => {
      const isRenewed = lease !== undefined && before?.fencingToken === lease.fencingToken;
      if (answer.outcome === 'made' && isRenewed) tell(inner, commit.key, leaseDetailOf(lease));
      return answer;
    });
  }),
  changing('tells a change again to each call that comes too late', hasOne, (commit, inner) =>
    inner.change(commit).map((answer) => {
      if (answer.outcome === 'refused' && answer.guard === 'revision')
        tell(inner, commit.key, { type: 'started', at: NOON });
      return answer;
    }),
  ),
  changing('tells a repeated append again', hasOne, (commit, inner) =>
    inner.change(commit).map((answer) => {
      if (answer.outcome === 'repeated')
        tell(inner, commit.key, { ...appended, position: answer.position });
      return answer;
    }),
  ),
  planted('tells the removal of a session that is gone', hasOne, (inner) => ({
    remove: (commit) =>
      inner.remove(commit).map((removed) => {
        if (removed.outcome === 'refused') tell(inner, commit.key, { type: 'deleted', at: NOON });
        return removed;
      }),
  })),
];
