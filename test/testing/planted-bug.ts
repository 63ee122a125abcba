import { MemorySessionStore } from '../../adapters/memory/index.js';
import { isMove, isRedaction, type StateChange, type UseChange } from '../../src/store/commit.js';
import type { EventLog, SessionKey, SessionStore } from '../../src/store/session-store.js';
import type { OpenedStore } from '../../src/testing/index.js';
import { type Changes, changed } from '../support/store-doubles.js';

/** A store with a bug, and the case that must fail on it. */
export interface PlantedBug {
  readonly bug: string;
  readonly caughtBy: string;
  readonly makeStore: () => SessionStore | OpenedStore<SessionStore>;
}

/** The memory store, with some of its methods changed. */
export const memoryStoreWith = (changes: (inner: MemorySessionStore) => Changes): SessionStore => {
  const inner = new MemorySessionStore({ events: true, reportEnds: true });
  return changed(inner, { events: inner.events, ...changes(inner) });
};

/** A bug in some methods of the memory store. */
export const planted = (
  bug: string,
  caughtBy: string,
  changes: (inner: MemorySessionStore) => Changes,
): PlantedBug => ({ bug, caughtBy, makeStore: () => memoryStoreWith(changes) });

/** The events of the memory store, with some of the methods changed. */
export const eventsWith = (
  { events }: MemorySessionStore,
  changes: (events: NonNullable<MemorySessionStore['events']>) => Partial<EventLog>,
): EventLog => {
  if (events === undefined) throw new Error('the memory store has no events');
  return {
    streamOf: () => events.streamOf(),
    latest: () => events.latest(),
    now: () => events.now(),
    read: (...args) => events.read(...args),
    listen: (listener) => events.listen(listener),
    ...changes(events),
  };
};

/** A unique text for a key. */
export const labelOf = ({ tenant, id }: SessionKey): string => JSON.stringify([tenant, id]);

export type Judged = StateChange | UseChange;

/** A bug in the changes of states and histories. */
export const changing = (
  bug: string,
  caughtBy: string,
  change: (commit: Judged, inner: MemorySessionStore) => ReturnType<SessionStore['change']>,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    change: (commit) =>
      isMove(commit) || isRedaction(commit) ? inner.change(commit) : change(commit, inner),
  }));
