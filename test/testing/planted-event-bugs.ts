import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import { type EventDetail, leaseDetailOf } from '../../src/session/event-detail.js';
import type { SessionKey } from '../../src/store/session-store.js';
import { NOON } from '../../src/testing/samples.js';
import { eventsWith, type PlantedBug, planted } from './planted-bug.js';

/** Tells an event that no change has. */
const tell = (inner: MemorySessionStore, key: SessionKey, detail: EventDetail): void => {
  const record = inner.find(key)._unsafeUnwrap();
  inner.events?.log(key, { incarnation: 'none', sequence: record?.sequence ?? 1 }, detail);
};

const hasItsEvent = 'events: a change that was acknowledged has its event, whatever the change';
const ofTime =
  'events: the time of the log is never later than that of an event that comes after it';
const hasNone =
  'events: a call that was refused, or that has no events, has no event and no sequence';
const hasOne = 'events: of calls that race for one change, one has an event';

/** Changes without their event, events without a change, and doubled events. */
export const plantedEventBugs: readonly PlantedBug[] = [
  planted('ends a session by the clock without an event', hasItsEvent, (inner) => ({
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
  planted('tells an event only once another one follows it', hasItsEvent, (inner) => ({
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
  planted('tells of an append that it has refused', hasNone, (inner) => ({
    append: (key, append) =>
      inner.append(key, append).map((answer) => {
        if (answer.outcome === 'moved')
          tell(inner, key, { type: 'appended', at: NOON, start: 0, position: answer.position });
        return answer;
      }),
  })),
  planted('tells of a renewed lease', hasNone, (inner) => ({
    replace: (key, previous, next, options) => {
      const before = inner.findState(key)._unsafeUnwrap()?.work.lease;
      return inner.replace(key, previous, next, options).map((outcome) => {
        const isRenewed =
          next.work.lease !== undefined && before?.fencingToken === next.work.lease.fencingToken;
        if (outcome === 'replaced' && isRenewed) tell(inner, key, leaseDetailOf(next.work.lease));
        return outcome;
      });
    },
  })),
  planted('tells a change again to each call that comes too late for it', hasOne, (inner) => ({
    replace: (key, previous, next, options) =>
      inner.replace(key, previous, next, options).map((outcome) => {
        if (outcome === 'stale') tell(inner, key, { type: 'started', at: NOON });
        return outcome;
      }),
  })),
  planted('tells a repeated append again', hasOne, (inner) => ({
    append: (key, append) => {
      const before = inner.find(key)._unsafeUnwrap()?.sequence;
      return inner.append(key, append).map((answer) => {
        const isRepeated =
          answer.outcome === 'appended' && inner.find(key)._unsafeUnwrap()?.sequence === before;
        if (isRepeated)
          tell(inner, key, { type: 'appended', at: NOON, start: 0, position: answer.position });
        return answer;
      });
    },
  })),
  planted('tells the removal of a session that is gone', hasOne, (inner) => ({
    remove: (key, removal) =>
      inner.remove(key, removal).map((outcome) => {
        if (outcome === 'missing') tell(inner, key, { type: 'deleted', at: NOON });
        return outcome;
      }),
  })),
];
